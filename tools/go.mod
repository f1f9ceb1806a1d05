module github.com/blorc-denoise/blorc-denoise/tools

go 1.26.0

require github.com/blorc-denoise/blorc-denoise v0.0.0

require (
	github.com/klauspost/compress v1.20.4 // indirect
	github.com/ulikunitz/xz v0.5.17 // indirect
	golang.org/x/image v0.48.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)

replace github.com/blorc-denoise/blorc-denoise => ../
