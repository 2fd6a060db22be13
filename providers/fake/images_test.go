package fake

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers"
	codec "github.com/harnessbench/bench/providers/anthropic"
)

// picture is a real image, in base64.
func picture(t *testing.T, width, height int) string {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// TestImages: what the API refuses about an image, in a message and in a result,
// in its words.
func TestImages(t *testing.T) {
	small, side := picture(t, 40, 30), picture(t, 8001, 1)
	// As a picture with a long comment: its size in bytes is all that is wrong.
	largest := small + strings.Repeat("AAAA", (maxImageData-len(small))/4)
	source := func(media, data string) string {
		return fmt.Sprintf(`{"type":"base64","media_type":"%s","data":"%s"}`, media, data)
	}
	for _, c := range []struct{ name, source, want string }{
		{"png", source("image/png", picture(t, 8000, 1)), ""},
		{"jpeg", source("image/jpeg", small), ""},
		{"gif", source("image/gif", small), ""},
		{"webp", source("image/webp", small), ""},
		{"url", `{"type":"url","url":"https://example.com/a.png"}`, ""},
		{"file", `{"type":"file","file_id":"file_1"}`, ""},
		{"what cannot be read is not looked at", source("image/png", "AAAA"), ""},
		{"the largest", source("image/png", largest[:maxImageData]), ""},
		{"no source", "", "image.source: Field required"},
		{"source is a text", `"x"`, "image.source: Input should be a valid dictionary"},
		{"data is a number", `{"type":"base64","data":7}`, "image.source.data: Input should be a valid string"},
		{"no type", `{}`, "image.source.type: Field required"},
		{"unknown type", `{"type":"hex"}`, "image.source: Input tag 'hex' found using 'type' does not match any of the expected tags: 'base64', 'file', 'url'"},
		{"no media type", `{"type":"base64","data":"AAAA"}`, "image.source.base64.media_type: Field required"},
		{"another media type", source("image/bmp", small), "image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"},
		{"no data", `{"type":"base64","media_type":"image/png"}`, "image.source.base64.data: Field required"},
		{"empty", source("image/png", ""), "image.source.base64: image cannot be empty"},
		{"not base64", source("image/png", "AAA*"), "image.source.base64: invalid base64 data"},
		{"a data URL", source("image/png", "data:image/png;base64,"+small), "image.source.base64: invalid base64 data"},
		{"too large", source("image/png", largest[:maxImageData]+"AAAA"), "image.source.base64: image exceeds 5 MB maximum: 5242884 bytes > 5242880 bytes"},
		{"too wide", source("image/png", side), "image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels"},
	} {
		block := `{"type":"image"}`
		if c.source != "" {
			block = `{"type":"image","source":` + c.source + `}`
		}
		inResult := `{"type":"tool_result","tool_use_id":"t1","content":[` + text("a") + `,` + block + `]}`
		for at, body := range map[string]string{
			"messages.0.content.1.":                       body(user(text("a"), block)),
			"messages.2.content.0.tool_result.content.1.": body(hi + "," + asks + "," + user(inResult)),
		} {
			got, want := "", c.want
			if r := CheckMessages([]byte(body)); r != nil {
				got = r.Message
			}
			if want != "" {
				want = at + want
			}
			if got != want {
				t.Errorf("%s:\n got %.200s\nwant %s", c.name, got, want)
			}
		}
	}
}

// TestResultParts: what else the API refuses in a result that is a list.
func TestResultParts(t *testing.T) {
	img := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}`
	for _, c := range []struct{ content, want string }{
		{`[` + img + `]`, ""},
		{`[` + text("a") + `,` + img + `,` + img + `]`, ""},
		{`[{"type":"search_result","source":"https://example.com","title":"t","content":[]}]`, ""},
		{`[` + img + `],"is_error":true`, "messages.2.content.0.tool_result: all content must be type `text` if `is_error` is true"},
		{`[` + text("a") + `],"is_error":true`, ""},
		{`[{"text":"a"}]`, "messages.2.content.0.tool_result.content.0.type: Field required"},
		{`[{"type":"text"}]`, "messages.2.content.0.tool_result.content.0.text.text: Field required"},
		{`["a"]`, "messages.2.content.0.tool_result.content.0: Input should be a valid dictionary"},
		{`[` + text("") + `,` + img + `]`, "messages.2.content.0.tool_result: text content blocks must be non-empty"}, // strict
	} {
		got := ""
		if r := CheckMessages([]byte(body(hi + "," + asks + "," + user(`{"type":"tool_result","tool_use_id":"t1","content":`+c.content+`}`)))); r != nil {
			got = r.Message
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.content, got, c.want)
		}
	}
}

// TestImagesOfTheCodec: what our own codec sends for a result with images is
// legal, is the same block here, and counts as images, not as text.
func TestImagesOfTheCodec(t *testing.T) {
	data := picture(t, 750, 100)
	sent := providers.Block{Kind: providers.ToolResult, ID: "t1", Text: "12345678", Images: []providers.ImageData{{Type: "image/png", Data: data}, {Type: "image/png", Data: data}}}
	for _, words := range []string{sent.Text, ""} {
		sent.Text = words
		body := codec.EncodeRequest(nil, &providers.Request{Model: "m", MaxTokens: 10, Messages: []providers.Message{
			{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "hi"}}},
			{Role: providers.Assistant, Blocks: []providers.Block{{Kind: providers.ToolCall, ID: "t1", Name: "f"}}},
			{Role: providers.User, Blocks: []providers.Block{sent}},
		}})
		q, r := anthropic{}.parse("", body)
		if r != nil {
			t.Fatal(r)
		}
		if got := q.result("t1"); got == nil || !got.Equal(&sent) {
			t.Errorf("got %+v", got)
		}
		if want := (len("hi")+len("f")+len("{}")+len(words)+3)/4 + 2*100; q.tokens != want {
			t.Errorf("%d tokens; want %d", q.tokens, want)
		}
	}
}
