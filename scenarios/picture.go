package scenarios

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"

	"github.com/harnessbench/bench/providers"
)

// smallestImage is the base64 of the smallest picture.
const smallestImage = 112

// picture is a PNG of one grey pixel whose base64 has size bytes, a multiple of
// 4: what a tool's image costs on the wire, with nothing in it.
func picture(size int) providers.ImageData {
	png := append(make([]byte, 0, size), "\x89PNG\r\n\x1a\n"...)
	png = chunk(png, "IHDR", []byte{0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0})
	// zlib: one stored block with a filter byte and the pixel, and its checksum.
	png = chunk(png, "IDAT", []byte{0x78, 0x01, 0x01, 2, 0, 0xfd, 0xff, 0, 0x80, 0, 0x82, 0, 0x81})
	const rest = 2 * 12 // what an empty chunk has around it: of the padding, and of the end
	png = chunk(png, "paDd", make([]byte, size/4*3-len(png)-rest))
	png = chunk(png, "IEND", nil)
	return providers.ImageData{Type: "image/png", Data: base64.StdEncoding.EncodeToString(png)}
}

// chunk appends one chunk of a PNG.
func chunk(png []byte, kind string, data []byte) []byte {
	png = binary.BigEndian.AppendUint32(png, uint32(len(data)))
	from := len(png)
	png = append(append(png, kind...), data...)
	return binary.BigEndian.AppendUint32(png, crc32.ChecksumIEEE(png[from:]))
}
