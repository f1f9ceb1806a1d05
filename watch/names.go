package watch

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// unfinished are the endings that programs give to files they have not finished, in small letters.
var unfinished = []string{
	".part", ".partial", ".filepart", ".tmp", ".temp", ".crdownload", ".download", ".opdownload", ".!ut", ".!qb", ".aria2",
	".swp", ".swx", ".swo", ".bak", ".lock", ".writing", ".incomplete", ".upload", "~",
}

// ignored says whether a file or folder of this name, without folder, is to be left alone until it is renamed: hidden
// ones, and those whose name says that they are not finished.
func ignored(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~") || strings.HasPrefix(name, "#") {
		return true
	}
	name = strings.ToLower(name)
	for _, end := range unfinished {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// fileName is the name of a file, which may be any bytes: JSON text only holds those that are UTF-8.
type fileName string

func (n fileName) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(n)) {
		return json.Marshal(string(n))
	}
	return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(n))})
}

func (n *fileName) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err == nil {
		*n = fileName(text)
		return nil
	}
	var odd struct{ Base64 *[]byte }
	if err := json.Unmarshal(data, &odd); err != nil {
		return err
	}
	if odd.Base64 == nil {
		return errors.New("neither a text nor base64")
	}
	*n = fileName(*odd.Base64)
	return nil
}
