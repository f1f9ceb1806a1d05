module github.com/blorc-denoise/blorc-denoise

go 1.26.0

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4
	github.com/disintegration/imaging v1.6.2
	github.com/google/go-cmp v0.7.0
	github.com/rogpeppe/go-internal v1.16.0
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
	golang.org/x/image v0.47.0
	golang.org/x/sys v0.49.0
	golang.org/x/term v0.47.0
	gonum.org/v1/gonum v0.17.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	go.uber.org/goleak v1.3.0 // indirect
	golang.org/x/tools v0.30.0 // indirect
)
