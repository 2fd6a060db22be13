package strict

import "errors"

// Member returns a member of v, nil if there is none or v is no object.
func Member(v []byte, name string) []byte {
	if IsKind(v, '{') {
		for m := Members(v); m.Next(); {
			if string(m.Name) == name {
				return m.Value
			}
		}
	}
	return nil
}

// Hollow reports whether a member says nothing: it is missing, null or empty.
func Hollow(v []byte) bool {
	switch {
	case Absent(v), string(v) == `""`:
		return true
	case IsKind(v, '{'), IsKind(v, '['):
		return IsEmpty(v)
	}
	return false
}

// Within says where in a value an error is. Its sentence is about a member: "text
// is 7", or about the value itself: " is 7".
func Within(what string, err error) error {
	if err == nil {
		return nil
	}
	if s := err.Error(); s[0] != ' ' && s[0] != '[' {
		what += "."
	}
	return errors.New(what + err.Error())
}
