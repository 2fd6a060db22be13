package providers

import (
	"encoding/json"
	"reflect"
	"testing"
)

// Blocks are equal if every field is: a field that Equal forgot would keep an
// old encoding of a message that changed.
func TestBlockEqual(t *testing.T) {
	whole := func() Block {
		return Block{Kind: ToolResult, Text: "t", Signature: "s", ID: "i", Name: "n", Input: "{}", IsError: true, Open: true, Raw: "{}",
			Images: []ImageData{{Type: "image/png", Data: "x"}, {Type: "image/gif", Data: "y"}}}
	}
	a := whole()
	if b := whole(); !a.Equal(&b) || !b.Equal(&a) || !a.Equal(&a) {
		t.Error("the same block differs from itself")
	}
	for i := range reflect.TypeFor[Block]().NumField() {
		b := whole()
		if reflect.ValueOf(b).Field(i).IsZero() {
			t.Fatalf("%s is not set by this test", reflect.TypeFor[Block]().Field(i).Name)
		}
		reflect.ValueOf(&b).Elem().Field(i).SetZero()
		if a.Equal(&b) || b.Equal(&a) {
			t.Errorf("%s is not compared", reflect.TypeFor[Block]().Field(i).Name)
		}
	}
	b := whole()
	if b.Images[1].Data = "z"; a.Equal(&b) {
		t.Error("images are not compared by value")
	}
	if x, y := (Block{}), (Block{Images: []ImageData{}}); !x.Equal(&y) {
		t.Error("no images and none differ")
	}
}

func TestBlockJSON(t *testing.T) {
	got, err := json.Marshal(Block{Kind: ToolResult, ID: "t", Images: []ImageData{{Type: "image/png", Data: "eA=="}}})
	if want := `{"kind":"result","id":"t","images":[{"type":"image/png","data":"eA=="}]}`; err != nil || string(got) != want {
		t.Errorf("got %s %v\nwant %s", got, err, want)
	}
	if got, _ := json.Marshal(Block{Kind: ToolResult}); string(got) != `{"kind":"result"}` {
		t.Errorf("got %s", got)
	}
}

func TestRetryable(t *testing.T) {
	want := map[Class]bool{
		Unknown: true, Network: true, Cut: true, Idle: true, Timeout: true, RateLimited: true, Overloaded: true, Server: true,
		Overflow: false, TooLarge: false, MaxTokens: false, BadImage: false, Invalid: false, Auth: false, Protocol: false, Canceled: false,
	}
	for class, may := range want {
		if class.Retryable() != may || (&Error{Class: class}).Retryable() != may || (&Error{Class: class, NoRetry: true}).Retryable() {
			t.Errorf("%s: retryable is %v; want %v", class, !may, may)
		}
	}
}
