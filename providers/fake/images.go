package fake

import (
	"encoding/base64"
	"image"
	_ "image/gif"  // sizes of images in requests
	_ "image/jpeg" //
	_ "image/png"  //
	"io"
	"slices"
	"strings"

	"github.com/harnessbench/bench/providers"
)

// mediaSource is where the data of an image or a document is.
type mediaSource struct {
	Type      *string `json:"type"`
	MediaType *string `json:"media_type"`
	Data      *string `json:"data"`
}

// What the API takes of one image. It measures the base64 text, not the bytes
// that it stands for: all reported sizes are multiples of four.
const (
	maxImageData = 5 << 20
	maxImageSide = 8000
)

// checkParts: the content of a result, each part alone.
func checkParts(b *msgBlock, at string) *Refusal {
	for i := range b.parts {
		p := &b.parts[i]
		at := partAt(at, i)
		switch {
		case p.Type == "":
			return invalid("%s.type: Field required", at)
		case p.Type == "text" && p.Text == nil:
			return invalid("%s.text.text: Field required", at)
		case p.Type == "image":
			if r := checkImage(p, at+".image.source"); r != nil {
				return r
			}
		}
	}
	if b.IsError && slices.ContainsFunc(b.parts, func(p msgBlock) bool { return p.Type != "text" }) {
		return invalid("%s: all content must be type `text` if `is_error` is true", at)
	}
	return nil
}

func checkImage(b *msgBlock, at string) *Refusal {
	s := b.media
	switch {
	case b.Source == nil:
		return invalid("%s: Field required", at)
	case s == nil:
		return invalid("%s: Input should be a valid dictionary", at)
	case s.Type == nil:
		return invalid("%s.type: Field required", at)
	case *s.Type == "url" || *s.Type == "file":
		return nil
	case *s.Type != "base64":
		return invalid("%s: Input tag '%s' found using 'type' does not match any of the expected tags: 'base64', 'file', 'url'", at, *s.Type)
	}
	at += ".base64"
	switch {
	case s.MediaType == nil:
		return invalid("%s.media_type: Field required", at)
	case !slices.Contains(imageTypes(), *s.MediaType):
		return invalid("%s.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'", at)
	case s.Data == nil:
		return invalid("%s.data: Field required", at)
	case *s.Data == "":
		return invalid("%s: image cannot be empty", at)
	case len(*s.Data) > maxImageData:
		return invalid("%s: image exceeds 5 MB maximum: %d bytes > %d bytes", at, len(*s.Data), maxImageData)
	}
	if _, err := io.Copy(io.Discard, base64.NewDecoder(base64.StdEncoding, strings.NewReader(*s.Data))); err != nil {
		return invalid("%s: invalid base64 data", at)
	}
	if w, h, ok := s.size(); ok && max(w, h) > maxImageSide {
		return invalid("%s.data: At least one of the image dimensions exceed max allowed size: %d pixels", at, maxImageSide)
	}
	return nil
}

func imageTypes() []string { return []string{"image/jpeg", "image/png", "image/gif", "image/webp"} }

// size reads the width and height of an image; not ok where that cannot be read.
func (s *mediaSource) size() (width, height int, ok bool) {
	if s == nil || s.Data == nil {
		return 0, 0, false
	}
	// The size stands near the front: nobody decodes a megabyte for it.
	head := io.LimitReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(*s.Data)), 64<<10)
	cfg, _, err := image.DecodeConfig(head)
	return cfg.Width, cfg.Height, err == nil
}

// images returns the images of a result whose data it has.
func (b *msgBlock) images() (out []providers.ImageData) {
	for i := range b.parts {
		if s := b.parts[i].media; b.parts[i].Type == "image" && s != nil && deref(s.Type) == "base64" {
			out = append(out, providers.ImageData{Type: deref(s.MediaType), Data: deref(s.Data)})
		}
	}
	return out
}
