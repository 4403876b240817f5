//go:build desktop || bindings

package main

import "log/slog"

// wailsLog takes what Wails has to say into our log. It says "Fatal" and goes
// on; so do we.
type wailsLog struct{ log *slog.Logger }

func (w wailsLog) Print(text string)   { w.log.Info("Wails", "said", text) }
func (w wailsLog) Trace(text string)   { w.log.Debug("Wails", "said", text) }
func (w wailsLog) Debug(text string)   { w.log.Debug("Wails", "said", text) }
func (w wailsLog) Info(text string)    { w.log.Info("Wails", "said", text) }
func (w wailsLog) Warning(text string) { w.log.Warn("Wails", "said", text) }
func (w wailsLog) Error(text string)   { w.log.Error("Wails", "said", text) }
func (w wailsLog) Fatal(text string)   { w.log.Error("Wails", "said", text) }
