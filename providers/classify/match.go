package classify

import "strings"

// found is what a wording's numbers are in a text.
type found struct {
	Numbers
	total, size int
}

// match looks for a wording in a text.
func match(wording, text string) (found, bool) {
	first, rest := literal(wording)
	for {
		i := strings.Index(text, first)
		if i < 0 {
			return found{}, false
		}
		var f found
		if f.follow(rest, text[i+len(first):]) {
			return f, true
		}
		text = text[i+1:]
	}
}

// follow matches the rest of a wording at the beginning of the text.
func (f *found) follow(wording, text string) bool {
	switch {
	case wording == "":
		return true
	case strings.HasPrefix(wording, gap):
		wording = strings.TrimPrefix(wording[len(gap):], " ")
		for i := 0; i <= min(len(text), mostGap); i++ {
			inNumber := i > 0 && i < len(text) && isDigit(text[i-1]) && isDigit(text[i])
			if !inNumber && f.follow(wording, text[i:]) {
				return true
			}
		}
		return false
	case wording[0] == '{':
		n, length := number(text)
		name, rest, _ := strings.Cut(wording[1:], "}")
		if length == 0 || !f.follow(rest, text[length:]) {
			return false
		}
		f.set(name, n)
		return true
	}
	lit, rest := literal(wording)
	return strings.HasPrefix(text, lit) && f.follow(rest, text[len(lit):])
}

func (f *found) set(name string, n int) {
	switch name {
	case "input":
		f.Input = n
	case "asked":
		f.Asked = n
	case "window":
		f.Window = n
	case "above":
		f.Window = n - 1
	case "total":
		f.total = n
	case "size":
		f.size = n
	}
}

// gap stands for anything in a wording. The spaces around it are for the eye.
const gap = "..."

// mostGap is the most that a gap stands for: a sentence, or a text that repeats
// itself would be read again and again.
const mostGap = 200

// literal is what a wording begins with, up to a number or a gap.
func literal(wording string) (lit, rest string) {
	end := len(wording)
	if i := strings.IndexByte(wording, '{'); i >= 0 {
		end = i
	}
	if i := strings.Index(wording[:end], gap); i >= 0 {
		end = i
	}
	lit, rest = wording[:end], wording[end:]
	if strings.HasPrefix(rest, gap) {
		lit = strings.TrimSuffix(lit, " ")
	}
	return lit, rest
}

// number reads a number with or without commas between its thousands, and
// returns its length; 0 if there is none, or none that counts tokens.
func number(text string) (n, length int) {
	for length < len(text) {
		c := text[length]
		if c == ',' && length+1 < len(text) && isDigit(text[length+1]) && length > 0 {
			length++
			continue
		}
		if !isDigit(c) {
			break
		}
		if n = n*10 + int(c-'0'); n > 1<<40 {
			return 0, 0
		}
		length++
	}
	return n, length
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
