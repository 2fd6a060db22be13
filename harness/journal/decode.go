package journal

import (
	"strings"

	"github.com/harnessbench/bench/providers"
)

// Parse reads one transcript line, without its newline. It takes exactly what
// AppendRecord writes: for every line that it accepts, AppendRecord gives that
// line back. Anything else is a *CorruptError, without file and line number,
// whose sentence names the field.
func Parse(line []byte) (Record, error) {
	var d decoder
	var r Record
	if !d.record(string(line), &r) {
		return Record{}, explain(line, d.at, new(Record))
	}
	return r, nil
}

// ParseEntry reads one line of the audit ledger, without its newline, as
// strictly as Parse. It does not check the entry's hash.
func ParseEntry(line []byte) (Entry, error) {
	var d decoder
	var e Entry
	if !d.entry(string(line), &e) {
		return Entry{}, explain(line, d.at, new(Entry))
	}
	return e, nil
}

// decoder reads one line. Its methods mirror those of encode.go field by field;
// after the first thing that is not as written, bad is set and at is its place.
type decoder struct {
	s       string
	at      int
	bad     bool
	scratch []byte // kept from line to line
}

func (d *decoder) record(line string, r *Record) bool {
	d.s, d.at, d.bad = line, 0, false
	d.lit(`{"seq":`)
	r.Seq = d.int64()
	d.lit(`,"time":`)
	r.Time = d.int64()
	d.lit(`,"session":`)
	r.Session = d.string()
	d.lit(`,"run":`)
	r.Run = int(d.int64())
	d.lit(`,"kind":`)
	r.Kind = d.kind()
	d.optInt(`,"version":`, &r.Version)
	d.optString(`,"model":`, &r.Model)
	if d.has(`,"prints":`) {
		r.Prints = map[string]string{}
		d.object(func(key string) { r.Prints[key] = d.string() })
	}
	d.optString(`,"lane":`, &r.Lane)
	d.optString(`,"attempt":`, &r.Attempt)
	d.optInt(`,"max_tokens":`, &r.MaxTokens)
	d.optString(`,"call":`, &r.Call)
	d.optString(`,"id":`, &r.ID)
	d.optString(`,"name":`, &r.Name)
	d.optString(`,"input":`, &r.Input)
	d.optInt(`,"block":`, &r.Block)
	d.optString(`,"state":`, (*string)(&r.State))
	r.IsError = d.has(`,"is_error":true`)
	d.optInt(`,"cut":`, &r.Cut)
	d.optString(`,"refused":`, &r.Refused)
	d.optString(`,"code":`, &r.Code)
	d.optString(`,"reason":`, &r.Reason)
	d.optString(`,"detail":`, &r.Detail)
	d.optString(`,"text":`, &r.Text)
	if d.has(`,"blocks":[`) {
		r.Blocks = make([]providers.Block, 0, 4)
		for more := true; more && !d.bad; more = d.has(",") {
			r.Blocks = append(r.Blocks, providers.Block{})
			d.block(&r.Blocks[len(r.Blocks)-1])
		}
		d.lit("]")
	}
	d.optString(`,"stop":`, &r.Stop)
	d.optString(`,"ending":`, &r.Ending)
	if d.has(`,"usage":`) {
		r.Usage = new(providers.Usage)
		d.usage(r.Usage)
	}
	d.optInt(`,"turn":`, &r.Turn)
	d.optInt(`,"calls":`, &r.Calls)
	d.optString(`,"digest":`, &r.Digest)
	if d.has(`,"counters":`) {
		r.Counters = map[string]int{}
		d.object(func(key string) { r.Counters[key] = int(d.int64()) })
	}
	d.optInt(`,"life":`, &r.Life)
	d.optInt(`,"bytes":`, &r.Bytes)
	d.optInt64(`,"from":`, &r.From)
	d.optInt64(`,"to":`, &r.To)
	if d.has(`,"names":[`) {
		for more := true; more && !d.bad; more = d.has(",") {
			r.Names = append(r.Names, d.string())
		}
		d.lit("]")
	}
	d.optString(`,"file":`, &r.File)
	d.images(&r.Images)
	d.optInt(`,"ms":`, &r.Millis)
	d.lit(`,"audit":`)
	r.Audit = d.string()
	d.lit("}")
	return d.end()
}

func (d *decoder) block(k *providers.Block) {
	d.lit(`{"kind":`)
	k.Kind = providers.BlockKind(d.string())
	d.optString(`,"text":`, &k.Text)
	d.optString(`,"signature":`, &k.Signature)
	d.optString(`,"id":`, &k.ID)
	d.optString(`,"name":`, &k.Name)
	d.optString(`,"input":`, &k.Input)
	k.IsError = d.has(`,"is_error":true`)
	k.Open = d.has(`,"open":true`)
	d.optString(`,"raw":`, &k.Raw)
	d.images(&k.Images)
	d.lit("}")
}

func (d *decoder) images(to *[]providers.ImageData) {
	if !d.has(`,"images":[`) {
		return
	}
	for more := true; more && !d.bad; more = d.has(",") {
		var m providers.ImageData
		d.lit(`{"type":`)
		m.Type = d.string()
		d.lit(`,"data":`)
		m.Data = d.string()
		d.lit("}")
		*to = append(*to, m)
	}
	d.lit("]")
}

func (d *decoder) usage(u *providers.Usage) {
	first := true
	for _, f := range [...]struct {
		name string
		to   *int
	}{{`"in":`, &u.In}, {`"out":`, &u.Out}, {`"cache_read":`, &u.CacheRead}, {`"cache_write":`, &u.CacheWrite}} {
		sep := ","
		if first {
			sep = "{"
		}
		if strings.HasPrefix(d.s[d.at:], sep) && strings.HasPrefix(d.s[d.at+1:], f.name) {
			d.at += 1 + len(f.name)
			d.nonzero(f.to)
			first = false
		}
	}
	if first {
		d.lit("{")
	}
	d.lit("}")
}

func (d *decoder) entry(line string, e *Entry) bool {
	d.s, d.at, d.bad = line, 0, false
	d.lit(`{"seq":`)
	e.Seq = d.int64()
	d.lit(`,"kind":`)
	e.Kind = d.kind()
	d.lit(`,"line":`)
	e.Line = d.hash()
	d.lit(`,"why":`)
	e.Why = d.string()
	d.lit(`,"prev":`)
	e.Prev = d.hash()
	d.lit(`,"hash":`)
	e.Hash = d.hash()
	d.lit("}")
	return d.end()
}

// end reports whether the whole line was as written.
func (d *decoder) end() bool { return !d.bad && d.at == len(d.s) }

func (d *decoder) fail() { d.bad = true }

// lit takes text that must stand here.
func (d *decoder) lit(text string) {
	if !d.has(text) {
		d.fail()
	}
}

// has takes text if it stands here.
func (d *decoder) has(text string) bool {
	if d.bad || !strings.HasPrefix(d.s[d.at:], text) {
		return false
	}
	d.at += len(text)
	return true
}

func (d *decoder) string() string {
	if d.bad {
		return ""
	}
	v, end, ok := unquote(d.s, d.at, &d.scratch)
	d.at = end
	if !ok {
		d.fail()
	}
	return v
}

func (d *decoder) hash() string {
	at := d.at
	h := d.string()
	if !d.bad && !isHash(h) {
		d.at = at
		d.fail()
	}
	return h
}

func (d *decoder) kind() Kind {
	at := d.at
	k, ok := kindOf(d.string())
	if !d.bad && !ok {
		d.at = at
		d.fail()
	}
	return k
}

func (d *decoder) optString(name string, to *string) {
	if !d.has(name) {
		return
	}
	at := d.at
	if *to = d.string(); !d.bad && *to == "" {
		d.at = at
		d.fail()
	}
}

func (d *decoder) optInt(name string, to *int) {
	if d.has(name) {
		d.nonzero(to)
	}
}

func (d *decoder) optInt64(name string, to *int64) {
	if d.has(name) {
		at := d.at
		if *to = d.int64(); !d.bad && *to == 0 {
			d.at = at
			d.fail()
		}
	}
}

func (d *decoder) nonzero(to *int) {
	at := d.at
	if *to = int(d.int64()); !d.bad && *to == 0 {
		d.at = at
		d.fail()
	}
}

// int64 takes an integer in its only spelling: no leading zero, plus sign,
// fraction or exponent, and no negative zero.
func (d *decoder) int64() int64 {
	if d.bad {
		return 0
	}
	n, end, ok := cutInt(d.s, d.at)
	if !ok {
		d.fail()
		return 0
	}
	d.at = end
	return n
}

func cutInt[T string | []byte](s T, at int) (n int64, end int, ok bool) {
	i := at
	neg := i < len(s) && s[i] == '-'
	if neg {
		i++
	}
	digits := i
	var u uint64
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		if i-digits == 19 {
			return 0, at, false
		}
		u = u*10 + uint64(s[i]-'0')
	}
	limit := uint64(1<<63 - 1)
	if neg {
		limit++
	}
	if i == digits || s[digits] == '0' && (i > digits+1 || neg) || u > limit {
		return 0, at, false
	}
	if neg {
		return -int64(u), i, true
	}
	return int64(u), i, true
}

// object takes an object that is not empty; value takes each member's value.
// Keys must ascend, so none stands twice.
func (d *decoder) object(value func(key string)) {
	sep, last := "{", ""
	for d.has(sep) {
		at := d.at
		key := d.string()
		if sep == "," && key <= last {
			d.at = at
			d.fail()
		}
		d.lit(":")
		if d.bad {
			return
		}
		value(key)
		sep, last = ",", key
	}
	if sep == "{" {
		d.fail()
	}
	d.lit("}")
}

// kindOf returns the constant for a kind's name.
func kindOf[T string | []byte](name T) (Kind, bool) {
	for _, k := range kinds {
		if len(name) == len(k) && name[0] == k[0] && string(name) == string(k) {
			return k, true
		}
	}
	return "", false
}
