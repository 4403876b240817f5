package main

import (
	"embed"
	"io/fs"

	"longwatch/backend/cli"
)

// version is set by the build.
var version = "dev"

// The page as it was built, and the sample task. Without a built page the
// folder holds nothing that is served.
var (
	//go:embed all:frontend/dist
	page embed.FS
	//go:embed examples/quarterly-report
	examples embed.FS
)

// assets are what a window or a browser is given beside the runs.
func assets() cli.Assets {
	return cli.Assets{Page: below(page, "frontend/dist"), Sample: below(examples, "examples/quarterly-report")}
}

// below is a folder that was embedded, so it is there.
func below(f embed.FS, folder string) fs.FS {
	sub, err := fs.Sub(f, folder)
	if err != nil {
		panic(err)
	}
	return sub
}
