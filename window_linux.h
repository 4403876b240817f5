// What the window does beside Wails: see window_linux.go.
#ifndef LONGWATCH_WINDOW_H
#define LONGWATCH_WINDOW_H

#include <gtk/gtk.h>

// attach_soon connects the handlers as the first thing the main loop does, has
// the toolkit's own surfaces dark or light, and moves the window to x, y if it
// is placed and that is on a screen.
void attach_soon(int x, int y, int placed, int dark);

// raise_soon brings the window to the front. token says who asked, and is
// freed here; it may be empty.
void raise_soon(char *token);

// is_x11 tells whether windows have a place that programs know.
int is_x11(void);

#endif
