package harness

import (
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Backoff numbers (D7).
const (
	backoffFirst = 500 * time.Millisecond
	backoffCap   = 32 * time.Second
	// retryAfterMost bounds what a server may make us wait: an hour. A longer
	// wish is treated as garbage, and our own wait applies.
	retryAfterMost = time.Hour
)

// Backoff is how long to wait before retry n (from 0) of an attempt: 500 ms *
// 2^n, at most 32 s, plus up to a quarter of jitter that derives from the seed
// and the attempt. A legible Retry-After wins: seconds, or a date. One that is
// over already asks for a storm, and our own wait applies (block/buzz#5557).
func Backoff(seed uint64, attempt string, n int, retryAfter string, now time.Time) time.Duration {
	if d, ok := parseRetryAfter(retryAfter, now); ok {
		return d
	}
	d := backoffCap
	if n < 6 {
		d = min(backoffFirst<<n, backoffCap)
	}
	h := fnv.New64a()
	var b [8]byte
	for i := range b {
		b[i] = byte(seed >> (8 * i))
	}
	h.Write(b[:])
	h.Write([]byte(attempt))
	const steps = 1 << 16
	return d + time.Duration(h.Sum64()%steps)*(d/4)/steps
}

func parseRetryAfter(v string, now time.Time) (time.Duration, bool) {
	v = strings.TrimSpace(v)
	if v == "" {
		return 0, false
	}
	d := time.Duration(-1)
	if n, err := strconv.ParseInt(v, 10, 32); err == nil {
		d = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(v); err == nil {
		d = at.Sub(now)
	}
	if d <= 0 || d > retryAfterMost {
		return 0, false
	}
	return d, true
}
