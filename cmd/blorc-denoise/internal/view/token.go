package view

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
)

// newToken returns 192 random bits as text for addresses.
func newToken() string {
	var b [24]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// sameToken compares in a time that does not depend on the content.
func sameToken(a, b string) bool {
	return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}
