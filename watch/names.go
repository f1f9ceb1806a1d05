package watch

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// fileName is the name of a file. It may be any bytes; in JSON, names that are not UTF-8 are base64.
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
