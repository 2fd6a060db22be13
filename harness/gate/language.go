package gate

import "regexp"

// The language of requests. Clauses come in lower case, their words parted by
// single spaces; "don't" is "do not". Where a pattern has four groups in a row,
// they are those of allKinds: see which.

const (
	// The nouns of the checks.
	nouns = `(?:(tests?|test-?suites?|unittests?|unit-tests|specs?|pytest|jest|vitest|mocha|rspec|tox)|` +
		`(lint|linters?|linting|eslint|ruff|flake8|pylint|golangci-lint|clippy|staticcheck|rubocop|vet)|` +
		`(type-?check(?:er|ing|s)?|type check(?:er|ing|s)?|mypy|pyright|tsc)|(builds?|compile|compilation|compiler))`
	// What stands between a verb and its noun.
	det = `(?:(?:the|all|any|full|whole|entire|complete|existing|relevant|related|new|your|our|my|its|these|those|this|a|an|every|each|of|both|other|affected|` +
		`automated|unit|integration|e2e|end-to-end|regression|smoke|backend|frontend|go|python|rust|cargo|npm|yarn|pnpm|run|make|project|project's|local|` +
		`quick|final|clean|production|release|static|code|failing|broken|remaining|\x01) ){0,6}`
	// What is built, linted, tested.
	thing = `(?:it|this|that|them|everything|all|(?:the |your |my |our )?(?:whole |entire )?(?:project|code|codebase|repo|repository|packages?|binary|` +
		`binaries|solution|workspace|module|crate|program|sources?|changes?|work|fix|result|implementation))`
	// How a clause may go on after that: "build it with React" asks for no build.
	rest = `(?: (?:again|thoroughly|properly|carefully|too|first|as well|now|once more|successfully|cleanly|locally|afterwards|(?:before|after|when|once|if|unless|where|to|at|in|until) .*))?$`
	aux  = `(?:(?:still|all|now|also|both|to|must|should|shall|will|has|have|needs?|does|do|are|is|be|stays?|remains?|keeps?) )*`
	well = `(?:pass(?:es|ed|ing)?|succeeds?|green|clean|happy|works?)\b`
	run  = `(?:run|rerun|re-run|execute|perform|launch|invoke|do) `

	hanNouns = `(?:(测试|单测|pytest|jest|go test|npm test|tests?\b)|(lint|代码检查|静态检查|静态分析|eslint|ruff|flake8)|(类型检查|typecheck|mypy|tsc|pyright)|(构建|编译|build\b))`
	hanGood  = `[^，。]{0,6}?(?:通过|成功|无误|没有?问题|不报错|绿|pass)`
)

var (
	// What an imperative may begin with.
	opening = regexp.MustCompile(`^(?:(?:please|pls|kindly|also|finally|lastly|now|next|first|afterwards?|again|just|only|simply|ok|okay|so|always|` +
		`additionally|instead|at least|at the end|in the end|when (?:you are |you're )?(?:done|finished)|to (?:verify|check|confirm|be sure|be safe)|` +
		`ideally|optionally|preferably|if possible|if you can|maybe|perhaps|请|最后|再|务必|先|也) )+`)
	// Some check is spoken of.
	speaks = regexp.MustCompile(`(?i)test|spec|jest|mocha|tox|lint|ruff|flake8|clippy|static|rubocop|vet|typ|mypy|pyright|tsc|build|compil|测试|单测|检查|静态|构建|编译`)
	polite = regexp.MustCompile(`^(?:can|could|would|will) you (?:please |kindly |also |then |now |just )*`)
	told   = regexp.MustCompile(`^(?:(?:you|we) (?:should|must|need to|have to|ought to|will need to) (?:also |then |now |always )*|(?:i|we) (?:want|need|would like|expect|ask) you to (?:also |then )*|` +
		`i'd like you to |let's |let us |(?:make|be) sure (?:that )?(?:to |you )(?:also |always )?|(?:remember|try|go ahead|feel free|do not forget|never forget)(?: and| to) )`)
	// After fixing it run the tests: no comma, but no subject before the verb.
	adverbial = regexp.MustCompile(`^(?:after|before|once|when|whenever|as soon as) .*?(\S+) ((?:run|rerun|execute|make sure|ensure|lint|typecheck|build) .*)`)
	subject   = regexp.MustCompile(`^(?:you|we|i|they|he|she|it|to|that|which|who|ci|pipeline|script|will|can|could|should|would|must|may|not|never|does|do|a|an|the|your|my|our)$`)

	runs = regexp.MustCompile(`^` + run + det + `((?:[a-z0-9_./-]+ ){0,2}?)` + nouns + `\b(.*)`)
	// Not between: run the app without tests.
	between = regexp.MustCompile(`\b(?:no|not|that|which|who|with|without|of|in|on|to|for|from|by|before|after|until|instead|a|as|if|is|are|it|them)\b`)
	them    = regexp.MustCompile(`^` + run + `(?:them|it|these|those)(?: all)?` + rest)
	verbs   = regexp.MustCompile(`^(?:(test(?: ` + thing + rest + `|$))|(lint(?: ` + thing + `)?` + rest + `)|(type(?:-?check(?: ` + thing + `)?| check ` + thing + `)` + rest + `)|` +
		`((?:re-?)?(?:build|compile)(?: ` + thing + `)?` + rest + `))`)
	// Make sure that, keep going until: what follows must hold.
	ensures = regexp.MustCompile(`^(?:(?:do not|never|keep|continue|work|iterate|repeat|go|fix|loop|retry)\b.* (?:until|till)|` +
		`(?:make sure|ensure|verify|check|confirm|guarantee|see)(?: that| if| whether)?|make|get|keep|(?:i|we) (?:need|want|expect)) `)
	holds   = regexp.MustCompile(`^` + det + nouns + ` (?:suites? |runs? |step )?` + aux + well)
	isGood  = regexp.MustCompile(`^` + thing + ` ` + aux + `(?:(\x02)|(lints?)|(type-?checks?)|(builds?|compiles?))\b`)
	none    = regexp.MustCompile(`^(?:there are )?no (?:(\x02)|(lint|linter|linting|eslint)|(types?)|(build|compile|compiler)) (?:errors?|warnings?|issues?)`)
	obliged = regexp.MustCompile(`^` + det + `(?:` + nouns + ` (?:suites? |step )?|` + thing + ` )(?:must|should|shall|has to|have to|needs? to) ` + aux + `(?:` + well + `|not (?:break|fail)|compile|build|lint)`)
	named   = regexp.MustCompile(`^` + det + nouns + `$`)
	bare    = regexp.MustCompile(`^` + det + nouns + `(?: suites?| step)?` + rest)
	without = regexp.MustCompile(`\b(?:not|never) .*\b(?:without|before|until) (?:first )?(?:running|having run|executing) ` + det + nouns + `\b`)
	// A noun before one of these is not the check.
	other = regexp.MustCompile(`^ (?:data|files?|servers?|fixtures?|databases?|db|env|environments?|containers?|apps?|pages?|errors?|warnings?|rules?|config|configuration|names?|logs?|output|templates?|coverage)\b`)

	hanRuns    = regexp.MustCompile(`(?:运行|执行|重跑|跑通|跑|做|进行|通过)[^了过不]{0,8}?` + hanNouns + `(.*)`)
	hanEnsures = regexp.MustCompile(`(?:确保|保证|确认|验证|检查|让|使|直到).{0,10}?` + hanNouns + hanGood)
	hanObliged = regexp.MustCompile(hanNouns + `.{0,4}?(?:必须|应该|应当|需要|要|得)` + hanGood + `|把.{0,6}?` + hanNouns + `.{0,4}?(?:跑|运行|执行)`)
	hanVerbs   = regexp.MustCompile(`^(?:请|再|先|也|就|只|直接|重新|帮我| )*(?:(测试(?:一下|一遍|一次|它|改动|修改))|(lint(?: ?一下)?$)|(类型检查(?:一下)?$)|((?:构建|编译)(?:一下|一遍|一次|项目|整个|工程|全部|它|$)))|(?:确保|保证).{0,8}?能(?:够|正常|成功)*(?:(\x02)|(\x02)|(\x02)|(构建|编译))`)
	hanBare    = regexp.MustCompile(`^` + hanNouns + `$`)
	hanOther   = regexp.MustCompile(`^(?:的|不|时|文件|数据|服务|环境|覆盖|框架|步骤|脚本|命令)`)

	// A check that is refused, and one that is spoken of.
	refuses = regexp.MustCompile(`\b(?:not|never) (?:\S+ ){0,3}?(?:run|rerun|execute|perform|lint|build|compile|test|type-?check|need|bother)\b|\bno need to\b|\bneither\b|` +
		`(?:不要|不用|不必|不需要|无需|不许|不准|勿|别|禁止|跳过|省略|没必要|不).{0,4}?(?:运行|执行|跑|做|构建|编译|测试|lint|类型检查)`)
	mentions = regexp.MustCompile(`\b(?:how|ways?|command|script|target|job|step|workflow|section|instructions|function|tool|hook|going|used|wants?|able) to\b|` +
		`^(?:i|we|they|he|she|it|ci|the ci|our ci|the pipeline|the script)\b|\b(?:how|what|why|when|whether|where|which|who)\b.*\b(?:run|runs|running|execute|lint|build|builds|compile|test)\b|` +
		`我会|我已|我们会|我们已|已经|刚才|刚刚|流水线|如何|怎么|怎样|什么|为什么|为何|是否|哪|解释|说明|介绍|讲讲|描述|脚本|命令|文档|每次`)
	hanPolite = regexp.MustCompile(`能|可否|可以|可不可以|请|帮我|麻烦`)
	hanAsks   = regexp.MustCompile(`[吗呢么]$`)

	// If possible, for the clause and what is joined to it, and for the clause alone.
	possibly = regexp.MustCompile(`\b(?:ideally|optionally|preferably|(?:where|when|whenever) possible|as far as possible|best effort)\b|如果|若|尽量|最好|可能的话|可以的话|有可能|方便的话|有时间的话`)
	perhaps  = regexp.MustCompile(`\b(?:try to|feel free|maybe|perhaps)\b`)
	ifs      = regexp.MustCompile(`(?:(\S+) )?\b(?:if|unless|in case)\b`)
	askedIf  = regexp.MustCompile(`^(?:see|check|know|me|verify|confirm|sure|wonder|as|even)$`)
	ofResult = regexp.MustCompile(`^(?:if|in case) (?:.* )?(?:fail|break|pass|red|green|wrong|errors?|not|so)`)
)

// which is the kind whose group matched.
func which(m []int) kinds {
	for i := 2; i+1 < len(m); i += 2 {
		if m[i] >= 0 {
			return 1 << ((i/2 - 1) % len(allKinds))
		}
	}
	return 0
}
