package scenarios

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// origin recognises the part of a header that says where the scenario comes
// from.
var origin = regexp.MustCompile(`(?:^|[.;:?!)]\s+)(?:Articles?|Mechanisms?|Reports?|Papers?|From|Source|Design)\b`)

func (c *checker) checkHeader() {
	c.line = 1
	h := c.src.header()
	if len(h) == 0 || len(strings.Fields(h[0])) < 4 {
		c.fail("the file must begin with a comment that says in a sentence what the scenario proves")
		return
	}
	for _, l := range h {
		if origin.MatchString(l) {
			return
		}
	}
	c.line = len(h)
	c.fail("the first comment must also say where the scenario comes from: end it with Article:, Mechanism, Report, Paper, Design or From")
}

// ownFolders are written by the engine and testscript.
var ownFolders = []string{".tmp", evidenceFolder}

const evidenceFolder = ".evidence"

func (c *checker) checkArchive() {
	for _, l := range c.src.unnamed { // txtar's own parser panics on one
		c.line = l
		c.fail("a marker line without a name: write -- NAME --, or indent it")
	}
	lines := map[string]int{}   // cleaned name: line
	folders := map[string]int{} // every folder above a file
	for i := range c.src.archive {
		a := &c.src.archive[i]
		c.line = a.marker
		if why := escapes(a.name); why != "" {
			c.fail("archive name %s: %s", quote(a.name), why)
			continue
		}
		if strings.Contains(a.name, "$") {
			c.fail("archive name %s: a $ would be replaced before the file is written; write the name itself", quote(a.name))
			continue
		}
		clean := path.Clean(a.name)
		if first, _, _ := strings.Cut(clean, "/"); slices.Contains(ownFolders, first) || clean == "." {
			c.fail("archive name %s: that folder belongs to the bench; choose another", quote(a.name))
			continue
		}
		low := strings.ToLower(clean)
		if at, ok := lines[low]; ok {
			c.fail("archive name %s is there already, in line %d", quote(a.name), at)
			continue
		}
		if at, ok := folders[low]; ok {
			c.fail("archive name %s is a folder of the name in line %d", quote(a.name), at)
		}
		lines[low] = a.marker
		for d := path.Dir(low); d != "."; d = path.Dir(d) {
			if at, ok := lines[d]; ok {
				c.fail("archive name %s lies below a file, in line %d", quote(a.name), at)
			}
			folders[d] = a.marker
		}
	}
}
