package main

import "errors"

// unsupportedValue is the flag --on-unsupported: whether pages and files that cannot be denoised are copied.
type unsupportedValue bool

const unsupportedHelp = "`WHAT` to do with files and pages whose kind is not supported: fail, or copy them as they are"

func (v *unsupportedValue) String() string {
	if *v {
		return "copy"
	}
	return "fail"
}

func (v *unsupportedValue) Set(text string) error {
	switch text {
	case "fail", "copy":
		*v = text == "copy"
		return nil
	}
	return errors.New("must be fail or copy")
}

func (v *unsupportedValue) Type() string { return "WHAT" }
