package cassettes

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	vcr "github.com/dnaeon/go-vcr/v2/cassette"
)

// credentials returns the values of the headers that RemoveCredentials takes
// out: servers and models quote them, so they are looked for everywhere else.
// Very short ones would be found in any text.
func credentials(it *vcr.Interaction) (found []string) {
	keep := func(v string) {
		if len(v) >= 8 {
			found = append(found, v)
		}
	}
	for _, h := range []http.Header{it.Request.Headers, it.Response.Headers} {
		for name, values := range h {
			for _, v := range values {
				switch {
				case !secretHeader(name):
				case name == "Set-Cookie":
					if c, err := http.ParseSetCookie(v); err == nil {
						keep(c.Value)
					}
				case name == "Cookie":
					cookies, err := http.ParseCookie(v)
					if err == nil {
						for _, c := range cookies {
							keep(c.Value)
						}
					}
				default:
					keep(v[strings.LastIndexByte(v, ' ')+1:]) // without "Bearer"
				}
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// leak says where a secret is still to be found in a cassette: in the bytes of
// the file, or in a field as it will be read, with JSON's and a URL's escapes
// undone. The message does not repeat it.
func leak(src []byte, tape []*vcr.Interaction, secrets []string) error {
	for n, secret := range secrets {
		if secret == "" {
			continue
		}
		where := ""
		for i, it := range tape {
			if part := leakIn(it, secret); part != "" {
				where = fmt.Sprintf("interaction %d: %s", i+1, part)
				break
			}
		}
		if where == "" && bytes.Contains(src, []byte(secret)) {
			where = "the file"
		}
		if where != "" {
			return fmt.Errorf("%s still contains secret %d of %d; add a filter that takes it out", where, n+1, len(secrets))
		}
	}
	return nil
}

func leakIn(it *vcr.Interaction, secret string) string {
	has := func(s string) bool {
		if strings.Contains(s, secret) || strings.Contains(unescape(s), secret) {
			return true
		}
		q, err := url.QueryUnescape(s)
		return err == nil && strings.Contains(q, secret)
	}
	inHeader := func(h map[string][]string) bool {
		for k, vs := range h {
			for _, v := range vs {
				if has(v) {
					return true
				}
			}
			if has(k) {
				return true
			}
		}
		return false
	}
	switch {
	case has(it.Request.URL):
		return "request.url"
	case inHeader(it.Request.Headers):
		return "request.headers"
	case inHeader(it.Form):
		return "request.form"
	case has(it.Request.Body):
		return "request.body"
	case inHeader(it.Response.Headers), has(it.Response.Status):
		return "response.headers"
	case has(it.Response.Body):
		return "response.body"
	}
	return ""
}

// unescape undoes JSON's escapes in any text, once.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'u':
			r, ok := hex4(s[i+1:])
			if !ok {
				b.WriteByte(c)
				continue
			}
			i += 4
			if utf16.IsSurrogate(r) && strings.HasPrefix(s[i+1:], `\u`) {
				if low, ok := hex4(s[i+3:]); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
					r, i = utf16.DecodeRune(r, low), i+6
				}
			}
			b.WriteRune(r)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(s[:4], 16, 16)
	return rune(n), err == nil
}
