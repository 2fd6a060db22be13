package scenarios

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"testing"
)

func TestPicture(t *testing.T) {
	for _, n := range []int{smallestImage, 116, 120, 1000, 1 << 20} {
		im := picture(n)
		b, err := base64.StdEncoding.DecodeString(im.Data)
		if err != nil || len(im.Data) != n {
			t.Fatalf("%d: %d bytes, %v", n, len(im.Data), err)
		}
		if _, err := png.Decode(bytes.NewReader(b)); err != nil {
			t.Errorf("%d: %v", n, err)
		}
	}
}
