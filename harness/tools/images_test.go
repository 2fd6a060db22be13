package tools_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
)

func TestExecuteImages(t *testing.T) {
	png := func(data string) providers.ImageData { return providers.ImageData{Type: "image/png", Data: data} }
	good := base64.StdEncoding.EncodeToString([]byte("an image"))
	largest := strings.Repeat("AAAA", tools.MaxImageBytes/4)
	var nine []providers.ImageData
	for i := range 9 {
		nine = append(nine, png(base64.StdEncoding.EncodeToString(fmt.Append(nil, i))))
	}
	for _, c := range []struct {
		name   string
		out    tools.Output
		err    error
		kept   int
		want   string
		failed bool
	}{
		{name: "one, no text", out: tools.Output{Images: []providers.ImageData{png(good)}}, kept: 1, want: "(1 image)"},
		{name: "one, and text", out: tools.Output{Text: "look\n", Images: []providers.ImageData{png(good)}}, kept: 1, want: "look\n"},
		{name: "every type", out: tools.Output{Images: []providers.ImageData{{Type: "image/png", Data: good}, {Type: "image/jpeg", Data: good}, {Type: "image/gif", Data: good}, {Type: "image/webp", Data: good}}}, kept: 4, want: "(4 images)"},
		{name: "as large as may be", out: tools.Output{Images: []providers.ImageData{png(largest)}}, kept: 1, want: "(1 image)"},
		{name: "too large", out: tools.Output{Text: "x", Images: []providers.ImageData{png(largest + "AAAA"), png(good)}}, kept: 1, want: "x\n(1 image was left out: more than 5000000 bytes of base64)"},
		{name: "other types", out: tools.Output{Text: "x\n", Images: []providers.ImageData{{Type: "image/bmp", Data: good}, {Type: "image/svg+xml", Data: good}, {Data: good}}}, want: "x\n(3 images were left out: only png, jpeg, gif and webp can be shown)"},
		{name: "no data", out: tools.Output{Images: []providers.ImageData{png("")}}, want: "(no output)\n(1 image was left out: no data)"},
		{name: "not base64", out: tools.Output{Images: []providers.ImageData{png("****")}}, want: "(no output)\n(1 image was left out: the data is not base64)"},
		{name: "a data URL", out: tools.Output{Images: []providers.ImageData{png("data:image/png;base64," + good)}}, want: "(no output)\n(1 image was left out: the data is not base64)"},
		{name: "without its padding", out: tools.Output{Images: []providers.ImageData{png("QUI")}}, want: "(no output)\n(1 image was left out: the data is not base64)"},
		{name: "line breaks", out: tools.Output{Images: []providers.ImageData{png("QUJD\nQUJD")}}, want: "(no output)\n(1 image was left out: the data is not base64)"},
		{name: "nine", out: tools.Output{Text: "x", Images: nine}, kept: 8, want: "x\n(1 image was left out: a result holds at most 8 images)"},
		{name: "several reasons", out: tools.Output{Text: "x", Images: append(nine[:9:9], png("*"), png("**"), png(""))}, kept: 8, want: "x\n(1 image was left out: no data; 2 images were left out: the data is not base64; 1 image was left out: a result holds at most 8 images)"},
		{name: "an error", out: tools.Output{Images: nine[:2]}, err: errors.New("no"), failed: true, want: "no\n(2 images were left out: a result that is an error holds text only)"},
		{name: "an error in the output", out: tools.Output{Text: "no", IsError: true, Images: nine[:1]}, failed: true, want: "no\n(1 image was left out: a result that is an error holds text only)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tool := &tools.Tool{Name: "work", Run: func(context.Context, tools.Call) (tools.Output, error) { return c.out, c.err }}
			o := tools.Execute(context.Background(), env.Env{Clock: env.RealClock(), Probe: env.NoProbe{}}, tool, call("c1"), tools.Options{})
			invariants(t, o)
			if len(o.Images) != c.kept || o.Text != c.want || (o.State == journal.Failed) != c.failed {
				t.Errorf("%d images, %s, %q\nwant %d, %q", len(o.Images), o.State, o.Text, c.kept, c.want)
			}
			for i, im := range o.Images {
				if c.name == "nine" && im != nine[i] {
					t.Errorf("image %d is another", i)
				}
			}
		})
	}
}

// Names are of a success, and the registry's own list is not handed out.
func TestExecuteNames(t *testing.T) {
	list := []string{"a", "b"}
	for _, fails := range []bool{false, true} {
		tool := &tools.Tool{Name: "work", Run: func(context.Context, tools.Call) (tools.Output, error) {
			return tools.Output{Text: "x", Names: list, IsError: fails}, nil
		}}
		o := tools.Execute(context.Background(), env.Env{Clock: env.RealClock(), Probe: env.NoProbe{}}, tool, call("c1"), tools.Options{})
		if want := map[bool]string{false: "[a b]", true: "[]"}[fails]; fmt.Sprint(o.Names) != want {
			t.Errorf("fails=%v: %v", fails, o.Names)
		}
		if !fails {
			if o.Names[0] = "changed"; list[0] != "a" {
				t.Error("the list is shared")
			}
		}
	}
}

// Elapsed is the machine's time, the grace of a tool that was left included.
func TestExecuteElapsed(t *testing.T) {
	simulated(3).run(t, env.NoProbe{}, func(e env.Env) {
		for _, c := range []struct {
			name string
			run  run
			want time.Duration
		}{
			{"done", func(ctx context.Context, c tools.Call) (tools.Output, error) {
				return tools.Output{}, c.Env.Clock.Sleep(ctx, 1500*time.Millisecond)
			}, 1500 * time.Millisecond},
			{"at once", nothing, 0},
			{"late", untilStopped(tools.Output{}, nil, nil), 10 * time.Second},
			{"left", func(_ context.Context, c tools.Call) (tools.Output, error) {
				return tools.Output{}, c.Env.Clock.Sleep(context.Background(), time.Minute)
			}, 13 * time.Second},
		} {
			o := tools.Execute(context.Background(), e, &tools.Tool{Name: "work", Run: c.run}, call("c1"), tools.Options{Timeout: 10 * time.Second, Grace: 3 * time.Second})
			if o.Elapsed != c.want {
				t.Errorf("%s: %v, want %v", c.name, o.Elapsed, c.want)
			}
		}
		e.Clock.Sleep(context.Background(), time.Hour)
	})
}
