package gate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness/gate"
)

// asked is Required in short: the kinds, with ? where optional.
func asked(prompt string) string {
	var l []string
	for _, r := range gate.Required(prompt) {
		k := string(r.Kind)
		if r.Optional {
			k += "?"
		}
		l = append(l, k)
	}
	return strings.Join(l, " ")
}

func TestRequired(t *testing.T) {
	for _, c := range []struct{ prompt, want string }{
		// Imperatives.
		{"Run the tests.", "tests"},
		{"run tests", "tests"},
		{"Fix the parser and run the tests.", "tests"},
		{"Fix the parser, then run all the unit tests.", "tests"},
		{"Please run the full test suite before you answer.", "tests"},
		{"Run pytest when you are done.", "tests"},
		{"Run go test and go vet.", "tests lint"},
		{"Run npm test.", "tests"},
		{"Implement X. Make sure all tests pass.", "tests"},
		{"Ensure that the tests still pass, and that the build succeeds.", "tests build"},
		{"Make sure the tests and the linter pass.", "tests lint"},
		{"Keep the tests green.", "tests"},
		{"All tests must pass.", "tests"},
		{"The build must not break.", "build"},
		{"The project must compile.", "build"},
		{"Test your changes.", "tests"},
		{"Lint, typecheck and build the project.", "lint typecheck build"},
		{"Format, lint, test, and build.", "tests lint build"},
		{"Run the tests, the linter and the type checker.", "tests lint typecheck"},
		{"Build it.", "build"},
		{"Make sure it builds.", "build"},
		{"Make sure it type-checks and there are no lint errors.", "typecheck"},
		{"Make sure there are no lint errors.", "lint"},
		{"Run mypy.", "typecheck"},
		{"Run a production build.", "build"},
		{"You must run the tests.", "tests"},
		{"I want you to fix the bug and run the tests.", "tests"},
		{"Don't forget to run the tests!", "tests"},
		{"Remember to run the linter.", "lint"},
		{"Make sure to run the tests.", "tests"},
		{"Make sure you run the tests", "tests"},
		{"Can you run the tests?", "tests"},
		{"Could you please fix this and run the tests?", "tests"},
		{"After fixing the bug run the tests.", "tests"},
		{"When you are done run the linter.", "lint"},
		{"Do not stop until all tests pass.", "tests"},
		{"Keep going until the tests are green.", "tests"},
		{"Never commit without running the tests.", "tests"},
		{"Add unit tests and run them.", "tests"},
		{"Do these:\n- fix the bug\n- run the tests\n- build the project", "tests build"},
		{"1. Fix the bug\n2. Run the linter", "lint"},
		{"fix the bug\nrun the tests", "tests"},
		{"Rename the function to something shorter everywhere, and please run the\ntests afterwards.", "tests"},
		{"Don't change the API and run the tests.", "tests"},
		{"Do not edit the tests, run them.", "tests"},
		{"Explain the bug and run the tests.", "tests"},
		{"Skip the docs, run the tests.", "tests"},
		{"Check that the tests pass.", "tests"},
		{"See if the tests pass.", "tests"},
		{"Check if it builds.", "build"},
		{"Run the parser tests.", "tests"},
		{"Make the failing test pass.", "tests"},
		{"I need the tests to pass.", "tests"},
		{"When finished: run the linter.", "lint"},
		{"Run the tests and tell me if they pass.", "tests"},
		{"Run the tests; if they fail, fix them.", "tests"},
		{"Run the tests, if any fail fix them.", "tests"},
		{"Run the \"unit\" tests", "tests"},
		{"Ensure lint, typecheck and tests pass.", "tests lint typecheck"},
		{"Run the tests and tell me if they are slow.", "tests"},
		{"The users ' data are odd: run the tests, don't ask.", "tests"},
		{"Fix the typo in 'a', run the tests.", "tests"},
		{"Run tests + lint.", "tests lint"},
		{"Run the tests with `pytest -q`.", "tests"},

		// Negations.
		{"Do not run the tests.", ""},
		{"do not run tests", ""},
		{"don't build", ""},
		{"Don’t run the tests", ""},
		{"Please don't run the tests or build the project.", ""},
		{"Do not build, lint or test anything.", ""},
		{"Do not run the tests and build it.", ""},
		{"Fix it without running the tests.", ""},
		{"Never run the tests.", ""},
		{"You should not run the tests.", ""},
		{"There is no need to run the tests.", ""},
		{"Skip the tests.", ""},
		{"Don't run the tests, just build it.", "build"},
		{"Do not run the tests but lint the code.", "lint"},
		{"Do not run the tests and just build it.", "build"},
		{"Avoid running the build.", ""},
		{"Neither build nor test it.", ""},
		{"I don't want you to run the tests.", ""},
		{"Run the app without tests.", ""},
		{"Run no tests.", ""},

		// Questions and mentions.
		{"What does the build step do?", ""},
		{"what does the build step do", ""},
		{"Explain how pytest works.", ""},
		{"Explain how to run the tests and build the project.", ""},
		{"How do I run the tests?", ""},
		{"Run the tests?", ""},
		{"Build: 3 minutes. Test: 2 minutes.", ""},
		{"Run the script that tests it.", ""},
		{"| step | what |\n|---|---|\n| 1 | x, run the tests, y |", ""},
		{"Before you run the tests, read the docs.", ""},
		{"It builds.", ""},
		{"Everything compiles and the tests pass.", ""},
		{"Build the servers and run them.", ""},
		{"Tests and docs are in the repository.", ""},
		{"Should I run the tests?", ""},
		{"Did you run the tests?", ""},
		{"Why does the build fail?", ""},
		{"Can you explain how to run the tests?", ""},
		{"Can you tell me what lint does?", ""},
		{"Write tests for the parser.", ""},
		{"Add a test.", ""},
		{"Fix the test data.", ""},
		{"The tests live in tests/.", ""},
		{"I already ran the tests.", ""},
		{"I will run the tests and build the project myself.", ""},
		{"CI runs the tests.", ""},
		{"Our CI will deploy it and run the tests.", ""},
		{"Write a script that runs the tests.", ""},
		{"Add a Makefile target to run the tests and build the binary.", ""},
		{"Update the docs on how to lint and test.", ""},
		{"Build a login page.", ""},
		{"Build it with React.", ""},
		{"Build me an app that shows the weather.", ""},
		{"Run the test server.", ""},
		{"Rename build.go to make.go.", ""},
		{"The build is slow.", ""},
		{"Compile a list of contributors.", ""},
		{"Test whether the login works.", ""},
		{"", ""},

		// Code and quotations.
		{"What does `run the tests` print?", ""},
		{"Run `go test`.", ""},
		{"Everything must be documented.", ""},
		{"The code must be tested.", ""},
		{"Fix this:\n```\nrun the tests\n```\n", ""},
		{"Fix this:\n```sh\npytest\nRun the tests.", ""},
		{"~~~\nRun the tests.\n~~~\nSay hello.", ""},
		{"> Run the tests.\n\nTranslate this.", ""},
		{"Translate \"Run the tests.\" into French.", ""},
		{"Translate 'run the tests' into French.", ""},
		{"Translate “Run the tests.” into French.", ""},
		{"# Build\nSay hello.", ""},
		{"He wrote \"fix it, run the tests, thanks\".\n\nTranslate.", ""},
		{"It's the user's job. Run the tests.", "tests"},
		{"```\nx\n```\nRun the tests.", "tests"},

		// Optional.
		{"Run the tests if possible.", "tests?"},
		{"If possible, run the tests.", "tests?"},
		{"If you can, run the tests and lint.", "tests? lint?"},
		{"Run the tests, if you can.", "tests?"},
		{"Run the tests (if possible).", "tests?"},
		{"Run the tests and, if possible, lint.", "tests lint?"},
		{"Run the tests, lint and build if possible.", "tests lint? build?"},
		{"Ideally run the tests.", "tests?"},
		{"Also if you can run the tests and lint.", "tests? lint?"},
		{"Try to run the tests.", "tests?"},
		{"Try to fix the bug and run the tests.", "tests"},
		{"If you change the parser, run the tests.", "tests?"},
		{"Feel free to run the linter.", "lint?"},
		{"Run the tests if possible. All tests must pass.", "tests"},
		{"Fix the bug. Run the tests, and if possible build it.", "tests build?"},

		// Chinese.
		{"运行测试", "tests"},
		{"请运行所有测试。", "tests"},
		{"修复这个 bug，然后跑一下单元测试。", "tests"},
		{"修复 bug 并运行测试", "tests"},
		{"确保测试通过", "tests"},
		{"所有测试必须通过。", "tests"},
		{"请跑 pytest", "tests"},
		{"运行测试和构建", "tests build"},
		{"运行 lint 和类型检查", "lint typecheck"},
		{"请做类型检查", "typecheck"},
		{"构建项目", "build"},
		{"请编译一下", "build"},
		{"确保项目能够正常编译", "build"},
		{"别忘了运行测试", "tests"},
		{"能帮我运行测试吗？", "tests"},
		{"修改代码，不要忘记跑测试。", "tests"},
		{"不要提交，运行测试", "tests"},
		{"添加单元测试并运行测试", "tests"},
		{"分别运行测试和构建", "tests build"},
		{"不要构建", ""},
		{"不要运行测试", ""},
		{"不用跑测试", ""},
		{"运行测试不是必须的", ""},
		{"别跑测试", ""},
		{"无需运行测试和构建", ""},
		{"不要运行测试，直接构建项目", "build"},
		{"构建步骤做什么？", ""},
		{"如何运行测试？", ""},
		{"运行测试吗？", ""},
		{"运行测试的时候要小心", ""},
		{"解释 pytest 是怎么工作的", ""},
		{"解释如何运行测试和构建", ""},
		{"我已经运行了测试", ""},
		{"写一个运行测试的脚本", ""},
		{"添加测试", ""},
		{"翻译“运行测试”", ""},
		{"翻译「运行测试」", ""},
		{"构建一个登录页面", ""},
		{"如果可以，运行测试", "tests?"},
		{"尽量运行测试", "tests?"},
		{"运行测试，如果可以的话", "tests?"},
		{"最好跑一下 lint", "lint?"},
		{"运行测试，如果可以也跑一下 lint", "tests lint?"},
	} {
		if got := asked(c.prompt); got != c.want {
			t.Errorf("%q asks for %q, want %q", c.prompt, got, c.want)
		}
	}
}

// The quote is the user's own sentence, as it was written.
func TestRequiredQuote(t *testing.T) {
	for prompt, want := range map[string]string{
		"Fix it. Please run the TESTS with `pytest -q`!\nThanks.": "Please run the TESTS with `pytest -q`!",
		"- fix it\n- run “the” tests\n":                           "- run “the” tests",
		"修复它。请运行测试。谢谢":                                            "请运行测试。",
	} {
		rs := gate.Required(prompt)
		if len(rs) != 1 || rs[0].Quote != want {
			t.Errorf("%q: %+v, want the quote %q", prompt, rs, want)
		}
	}
}

// FuzzRequired: anything can be a prompt; what is only quoted asks for nothing;
// the kinds come once, in order.
func FuzzRequired(f *testing.F) {
	for _, s := range []string{"Run the tests, lint and build.", "if possible, 运行测试和构建", "> a\n```\nb\n~~~", "\"run\" 'the' “tests”", "1. run tests\n2. don't build?", "İ run tests", "make sure the tests and lint pass"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		last := -1
		for _, r := range gate.Required(s) {
			i := slices.Index([]gate.Kind{gate.Tests, gate.Lint, gate.Typecheck, gate.Build}, r.Kind)
			if i <= last || !strings.Contains(s, r.Quote) || r.Quote == "" {
				t.Fatalf("%q: %+v", s, r)
			}
			last = i
		}
		if !strings.Contains(s, "```") {
			if got := asked("```\n" + s + "\n```"); got != "" {
				t.Fatalf("%q asks for %s from within code", s, got)
			}
		}
		if got := asked("> " + strings.ReplaceAll(s, "\n", "\n> ")); got != "" {
			t.Fatalf("%q asks for %s from within a quotation", s, got)
		}
	})
}

func BenchmarkRequired(b *testing.B) {
	for name, part := range map[string]string{
		"sentences": "Fix the bug and run the tests, please. ", "clauses": "run the tests, and lint if you can, ", "words": "fix the words of it ", "wrapped": strings.Repeat("word ", 12) + "\n",
		"quotes": "“ \" ` 「", "numbers": "1. ", "han": "修复它，然后运行测试，", "lines": "\n", "ifs": "test if ",
	} {
		for _, n := range []int{10_000, 100_000} {
			prompt := strings.Repeat(part, n/len(part))
			b.Run(fmt.Sprintf("%s-%dB", name, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					gate.Required(prompt)
				}
			})
		}
	}
}
