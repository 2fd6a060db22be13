package strict

import "github.com/go-json-experiment/json/jsontext"

// AppendString appends s as a JSON string. Text that is not valid UTF-8, which
// JSON cannot carry, has each bad byte replaced by U+FFFD; that is the error
// which jsontext reports.
func AppendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// AppendObject embeds a JSON object as it is, and anything else as a string,
// which neither passes for an object nor breaks out of its place.
func AppendObject(dst []byte, object string) []byte {
	from := len(dst)
	dst = append(dst, object...)
	if IsObject(dst[from:]) {
		return dst
	}
	return AppendString(dst[:from], object)
}

// IsObject reports whether v is one strict JSON object and nothing else.
func IsObject(v []byte) bool { return IsKind(SkipSpace(v), '{') && jsontext.Value(v).IsValid() }
