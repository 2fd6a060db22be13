package ask

import (
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	const key = "sk-Ab/12~cd%ef"
	for _, c := range []struct{ name, key, text, want string }{
		{"no key", "", "a text", "a text"},
		{"not there", key, `a "text" \u0073 sk-... and \\ more...`, `a "text" \u0073 sk-... and \\ more...`},
		{"alone", key, key, removed},
		{"twice", key, key + key + ".", removed + removed + "."},
		{"between", key, "a " + key + " b", "a " + removed + " b"},
		{"JSON", key, `"\u0073k-\u0041b\/12~c\u0064%ef\"`, `"` + removed + `\"`},
		{"JSON with large digits", key, `sk-Ab\u002F12\u007Ecd%ef`, removed},
		{"JSON quoted once more", key, `\\u0073k-Ab\\/12~cd%ef`, removed},
		{"Go", key, `sk-Ab\x2f12~cd%ef`, removed},
		{"a URL", key, "?k=%73k-Ab%2f12~cd%25ef&", "?k=" + removed + "&"},
		{"a JSON pointer", key, "/sk-Ab~112~0cd%ef/a", "/" + removed + "/a"},
		{"behind a backslash", key, `a\n\` + key, `a\n` + removed},
		{"with an escape of its own", "a%25bcd", "xa%25bcdx", "x" + removed + "x"},
		{"with backslashes", `a\b"c`, `-a\b"c-a\\b\"c-`, "-" + removed + "-" + removed + "-"},
		{"only backslashes", `\\`, `a\\b`, "a" + removed + "b"},
		{"cut", key, "a sk-Ab/..., b", "a " + removed + "..., b"},
		{"cut by an ellipsis", key, "a sk-Ab/…", "a " + removed + "…"},
		{"cut at the end", key, "a sk-Ab/", "a " + removed},
		{"cut in an escape", key, `sk-Ab/12\u00...`, removed + "..."},
		{"cut in an escape's backslash", key, `sk-Ab/12\...`, removed + "..."},
		{"cut in a URL's escape", key, `sk-Ab/12%7...`, removed + "..."},
		{"cut short", key, "sk-Ab...", "sk-Ab..."},
		{"not cut", key, "sk-Ab/ and sk-Ab/1, sk-Ab/.. ", "sk-Ab/ and sk-Ab/1, sk-Ab/.. "},
		{"begun inside", key, "12~cd%ef a", removed + " a"},
		{"begun inside behind a cut", key, "a…2~cd%ef a", "a…" + removed + " a"},
		{"begun inside and cut", key, "...Ab/12~c... a", "..." + removed + "... a"},
		{"begun inside a pointer's escape", "sk/Abcdef", "a…1Abcdef a", "a…" + removed + " a"},
		{"cut at its dot", "sk-abc.d", "sk-abc... and sk-abc....", removed + "... and " + removed + "..."},
		{"not begun inside", key, "a 12~cd%ef", "a 12~cd%ef"},
		{"a key that the mark has in it", "key", "the key", "the ***"},
	} {
		got := secret(c.key).clean(c.text)
		if got != c.want {
			t.Errorf("%s: %s is %s; want %s", c.name, c.text, got, c.want)
		}
		if again := secret(c.key).clean(got); again != got {
			t.Errorf("%s: %s is cleaned once more to %s", c.name, got, again)
		}
	}
}

// Where the key is not, cleaning leaves the text as it is, without a copy.
func TestCleanNothing(t *testing.T) {
	text := strings.Repeat(`a "text" \\u0073 `, 100)
	if n := testing.AllocsPerRun(10, func() { _ = secret("sk-canary-0123").clean(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
