package gemini

import (
	"testing"

	"github.com/harnessbench/bench/providers"
)

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		model  string
		stream bool
		want   string
	}{
		{"gemini-2.5-flash", true, "/models/gemini-2.5-flash:streamGenerateContent?alt=sse"},
		{"gemini-2.5-flash", false, "/models/gemini-2.5-flash:generateContent"},
		{"tunedModels/my model", true, "/tunedModels/my%20model:streamGenerateContent?alt=sse"},
		{"a?b#c", false, "/models/a%3Fb%23c:generateContent"},
	} {
		got := PathOf(&providers.Request{Model: c.model, Stream: c.stream})
		if got != c.want {
			t.Errorf("%s: %s; want %s", c.model, got, c.want)
		}
		if m, ok := ReadPath("/v1beta" + got); !ok || m != (Method{c.model, c.stream, c.stream}) {
			t.Errorf("%s: %+v %v", got, m, ok)
		}
	}
	if got := PathOf(&providers.Request{Model: "models/x"}); got != "/models/x:generateContent" {
		t.Error(got)
	}
}

func TestReadPath(t *testing.T) {
	for _, c := range []struct {
		path string
		want Method
		ok   bool
	}{
		{"/v1beta/models/m:streamGenerateContent", Method{"m", true, false}, true},
		{"/v1beta/models/m:streamGenerateContent?key=x&alt=sse", Method{"m", true, true}, true},
		{"/v1beta/models/m:streamGenerateContent?alt=%zz", Method{"m", true, false}, true},
		{"/v1beta/models/m:generateContent?%24alt=json%3Benum-encoding%3Dint", Method{"m", false, false}, true},
		{"/v1/projects/p/locations/l/publishers/google/models/m:generateContent", Method{"m", false, false}, true},
		{"/v1/projects/p/locations/l/endpoints/7:generateContent", Method{"endpoints/7", false, false}, true},
		{"/m:generateContent", Method{"m", false, false}, true},
		{"m:generateContent", Method{"m", false, false}, true},
		{"/v1beta/models/:generateContent", Method{}, false},
		{"/v1beta/models/%zz:generateContent", Method{}, false},
		{"/v1beta/models/m:countTokens", Method{}, false},
		{"/v1beta/models/m", Method{}, false},
		{"", Method{}, false},
	} {
		if m, ok := ReadPath(c.path); ok != c.ok || m != c.want {
			t.Errorf("%s: %+v %v", c.path, m, ok)
		}
	}
}
