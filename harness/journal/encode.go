package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/harnessbench/bench/providers"
)

// AppendRecord appends the record's line, without its newline. One record has
// one spelling: the fields in the order of the type, empty ones left out, no
// spaces, map keys sorted by their bytes. An empty slice or map is the same as
// a nil one; a Usage that is not nil is written even when it is all zero.
// Given room in b it does not allocate.
func AppendRecord(b []byte, r *Record) []byte {
	b = append(b, `{"seq":`...)
	b = strconv.AppendInt(b, r.Seq, 10)
	b = append(b, `,"time":`...)
	b = strconv.AppendInt(b, r.Time, 10)
	b = append(b, `,"session":`...)
	b = appendString(b, r.Session)
	b = append(b, `,"run":`...)
	b = strconv.AppendInt(b, int64(r.Run), 10)
	b = append(b, `,"kind":`...)
	b = appendString(b, string(r.Kind))
	b = optInt(b, `,"version":`, r.Version)
	b = optString(b, `,"model":`, r.Model)
	if len(r.Prints) > 0 {
		b = append(b, `,"prints":`...)
		b = appendMap(b, r.Prints, appendString)
	}
	b = optString(b, `,"lane":`, r.Lane)
	b = optString(b, `,"attempt":`, r.Attempt)
	b = optInt(b, `,"max_tokens":`, r.MaxTokens)
	b = optString(b, `,"call":`, r.Call)
	b = optString(b, `,"id":`, r.ID)
	b = optString(b, `,"name":`, r.Name)
	b = optString(b, `,"input":`, r.Input)
	b = optInt(b, `,"block":`, r.Block)
	b = optString(b, `,"state":`, string(r.State))
	b = optTrue(b, `,"is_error":true`, r.IsError)
	b = optInt(b, `,"cut":`, r.Cut)
	b = optString(b, `,"refused":`, r.Refused)
	b = optString(b, `,"code":`, r.Code)
	b = optString(b, `,"reason":`, r.Reason)
	b = optString(b, `,"detail":`, r.Detail)
	b = optString(b, `,"text":`, r.Text)
	for i := range r.Blocks {
		if i == 0 {
			b = append(b, `,"blocks":[`...)
		} else {
			b = append(b, ',')
		}
		b = appendBlock(b, &r.Blocks[i])
		if i == len(r.Blocks)-1 {
			b = append(b, ']')
		}
	}
	b = optString(b, `,"stop":`, r.Stop)
	b = optString(b, `,"ending":`, r.Ending)
	if r.Usage != nil {
		b = append(b, `,"usage":`...)
		b = appendUsage(b, r.Usage)
	}
	b = optInt(b, `,"turn":`, r.Turn)
	b = optInt(b, `,"calls":`, r.Calls)
	b = optString(b, `,"digest":`, r.Digest)
	if len(r.Counters) > 0 {
		b = append(b, `,"counters":`...)
		b = appendMap(b, r.Counters, func(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) })
	}
	b = optInt(b, `,"life":`, r.Life)
	b = optInt(b, `,"bytes":`, r.Bytes)
	b = optInt(b, `,"from":`, int(r.From))
	b = optInt(b, `,"to":`, int(r.To))
	for i, n := range r.Names {
		b = append(b, list(`,"names":[`, i)...)
		b = appendString(b, n)
		if i == len(r.Names)-1 {
			b = append(b, ']')
		}
	}
	b = optString(b, `,"file":`, r.File)
	b = appendImages(b, r.Images)
	b = optInt(b, `,"ms":`, r.Millis)
	b = append(b, `,"audit":`...)
	b = appendString(b, r.Audit)
	return append(b, '}')
}

func appendBlock(b []byte, k *providers.Block) []byte {
	b = append(b, `{"kind":`...)
	b = appendString(b, string(k.Kind))
	b = optString(b, `,"text":`, k.Text)
	b = optString(b, `,"signature":`, k.Signature)
	b = optString(b, `,"id":`, k.ID)
	b = optString(b, `,"name":`, k.Name)
	b = optString(b, `,"input":`, k.Input)
	b = optTrue(b, `,"is_error":true`, k.IsError)
	b = optTrue(b, `,"open":true`, k.Open)
	b = optString(b, `,"raw":`, k.Raw)
	b = appendImages(b, k.Images)
	return append(b, '}')
}

// list is what stands before element i of a list.
func list(open string, i int) string {
	if i == 0 {
		return open
	}
	return ","
}

func appendImages(b []byte, images []providers.ImageData) []byte {
	for i := range images {
		b = append(b, list(`,"images":[`, i)...)
		b = append(b, `{"type":`...)
		b = appendString(b, images[i].Type)
		b = append(b, `,"data":`...)
		b = appendString(b, images[i].Data)
		b = append(b, '}')
		if i == len(images)-1 {
			b = append(b, ']')
		}
	}
	return b
}

func appendUsage(b []byte, u *providers.Usage) []byte {
	n := len(b)
	b = optInt(b, `,"in":`, u.In)
	b = optInt(b, `,"out":`, u.Out)
	b = optInt(b, `,"cache_read":`, u.CacheRead)
	b = optInt(b, `,"cache_write":`, u.CacheWrite)
	if len(b) == n {
		b = append(b, '{')
	} else {
		b[n] = '{' // instead of the first comma
	}
	return append(b, '}')
}

// appendMap appends a map that is not empty, its keys sorted. Up to 16 keys it
// does not allocate.
func appendMap[V any](b []byte, m map[string]V, value func([]byte, V) []byte) []byte {
	var room [16]string
	keys := room[:0]
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	sep := byte('{')
	for _, k := range keys {
		b = append(b, sep)
		b = appendString(b, k)
		b = append(b, ':')
		b = value(b, m[k])
		sep = ','
	}
	return append(b, '}')
}

func optString(b []byte, name, s string) []byte {
	if s == "" {
		return b
	}
	return appendString(append(b, name...), s)
}

func optInt(b []byte, name string, n int) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(append(b, name...), int64(n), 10)
}

func optTrue(b []byte, field string, v bool) []byte {
	if !v {
		return b
	}
	return append(b, field...)
}

// AppendEntry appends the entry's line, without its newline. It does not
// compute Hash: Seal does.
func AppendEntry(b []byte, e *Entry) []byte {
	b = appendSealed(b, e.Seq, e.Kind, e.Line, e.Why, e.Prev)
	b = append(b, `,"hash":`...)
	b = appendString(b, e.Hash)
	return append(b, '}')
}

// Seal returns the hash that belongs into e.Hash: the SHA-256 of the entry's
// line up to the comma before "hash", in hex.
func Seal(e *Entry) string {
	sum := sha256.Sum256(appendSealed(nil, e.Seq, e.Kind, e.Line, e.Why, e.Prev))
	return hex.EncodeToString(sum[:])
}

// appendSealed appends the part of an entry's line that its hash covers.
func appendSealed[T string | []byte](b []byte, seq int64, kind Kind, line T, why string, prev T) []byte {
	b = append(b, `{"seq":`...)
	b = strconv.AppendInt(b, seq, 10)
	b = append(b, `,"kind":`...)
	b = appendString(b, string(kind))
	b = append(b, `,"line":"`...)
	b = append(b, line...)
	b = append(b, `","why":`...)
	b = appendString(b, why)
	b = append(b, `,"prev":"`...)
	b = append(b, prev...)
	return append(b, '"')
}

// LineHash returns the hex SHA-256 of a record's line, newline included, as it
// stands in Entry.Line. line is given without its newline.
func LineHash(line []byte) string {
	h := sha256.New()
	h.Write(line)
	h.Write([]byte{'\n'})
	return hex.EncodeToString(h.Sum(nil))
}
