package asktest

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/harnessbench/bench/providers"
)

// network: on the real one, what a server does, and what the reader is told.
func network(t *testing.T, api API) {
	hangs := make(chan struct{}) // told when a call hangs before its head
	read := make(chan struct{})  // closed once the client has read what came before the reset
	srv := httptest.NewServer(server(api, hangs, read))
	defer srv.Close()
	host := strings.TrimPrefix(srv.URL, "http://")
	begun := api.Told[:api.Begun]
	after := func(err string) []string { return append(slices.Clone(begun), err) }

	call := func(path string) (got []string) {
		st, err := api.New(Config{BaseURL: srv.URL + path, Key: key}).Stream(context.Background(), hello())
		if err != nil {
			return []string{"refused " + err.Error()}
		}
		defer st.Close()
		for range begun {
			ev, err := st.Next()
			if err != nil {
				return append(got, "error "+err.Error())
			}
			got = append(got, Show(ev))
		}
		if path == "/reset" {
			close(read)
		}
		return append(got, Drain(st)...)
	}
	for _, c := range []struct {
		path string
		want []string
	}{
		{"/ok", api.Told},
		{"/eof", begun},
		{"/gzip", api.Told},
		{"/notgzip", []string{"error protocol: the answer says that it is compressed with gzip, and is not"}},
		{"/short", after("error cut: the answer broke off: the connection was closed too early")},
		{"/reset", after("error cut: the answer broke off: connection reset by peer")},
		{"/reset0", []string{"refused network: no answer from " + host + ": connection reset by peer"}},
		{"/away", []string{"refused invalid 307: the server redirects to /ok" + api.Path + "; a redirect is not followed, because it would take the API key elsewhere: set the base URL to where the API lives"}},
	} {
		t.Run(c.path[1:], func(t *testing.T) { Equal(t, call(c.path), c.want) })
	}

	t.Run("nobody listens", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		_, err = api.New(Config{BaseURL: "http://" + l.Addr().String()}).Stream(context.Background(), hello())
		e := new(providers.Error)
		if !errors.As(err, &e) || e.Class != providers.Network || !errors.Is(err, syscall.ECONNREFUSED) || e.Message != "no answer from "+l.Addr().String()+": connection refused" {
			t.Errorf("%v", err)
		}
	})

	stop := errors.New("the user has had enough")
	isStop := func(t *testing.T, err error, inStream bool) {
		t.Helper()
		e := new(providers.Error)
		if !errors.As(err, &e) || e.Class != providers.Canceled || e.InStream != inStream || !errors.Is(err, stop) || e.Error() != "canceled: the user has had enough" {
			t.Errorf("%#v", err)
		}
	}
	t.Run("canceled while reading", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(context.Background())
		st, err := api.New(Config{BaseURL: srv.URL + "/hang"}).Stream(ctx, hello())
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		for range begun {
			if _, err := st.Next(); err != nil {
				t.Fatal(err)
			}
		}
		cancel(stop)
		_, err = st.Next()
		isStop(t, err, true)
	})
	t.Run("canceled while waiting for the head", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(context.Background())
		go func() { <-hangs; cancel(stop) }()
		_, err := api.New(Config{BaseURL: srv.URL + "/hang0"}).Stream(ctx, hello())
		isStop(t, err, false)
	})
	t.Run("canceled before", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(stop)
		_, err := api.New(Config{BaseURL: srv.URL + "/ok"}).Stream(ctx, hello())
		isStop(t, err, false)
	})
}

// server answers each base URL in its own way.
func server(api API, hangs chan<- struct{}, read <-chan struct{}) http.Handler {
	reset := func(w http.ResponseWriter) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
	begin := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, api.Begin)
		w.(http.Flusher).Flush()
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/ok/", func(w http.ResponseWriter, r *http.Request) { begin(w); io.WriteString(w, api.Rest) })
	mux.HandleFunc("/eof/", func(w http.ResponseWriter, r *http.Request) { begin(w) })
	mux.HandleFunc("/gzip/", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			http.Error(w, "no gzip asked for", 500)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/event-stream")
		z := gzip.NewWriter(w)
		io.WriteString(z, api.Begin+api.Rest)
		z.Close()
	})
	mux.HandleFunc("/notgzip/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		begin(w)
	})
	mux.HandleFunc("/short/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100000")
		begin(w)
	})
	mux.HandleFunc("/reset/", func(w http.ResponseWriter, r *http.Request) {
		begin(w)
		<-read
		reset(w)
	})
	mux.HandleFunc("/reset0/", func(w http.ResponseWriter, r *http.Request) { reset(w) })
	mux.HandleFunc("/hang/", func(w http.ResponseWriter, r *http.Request) { begin(w); <-r.Context().Done() })
	mux.HandleFunc("/hang0/", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // only then does the server notice that the client went
		hangs <- struct{}{}
		<-r.Context().Done()
	})
	mux.HandleFunc("/away/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/ok"+api.Path, http.StatusTemporaryRedirect)
	})
	return mux
}
