//go:build desktop && !bindings

#include "window_linux.h"
#include <gdk/gdkx.h>
#include <stdlib.h>
#include <webkit2/webkit2.h>

extern void goAttached(void);
extern void goDropped(char **uris, int n);
extern void goBlocked(char *uri);

typedef struct {
	int x, y, placed, dark;
} Place;

// All of it belongs to the main loop's thread.
static GtkWindow *window;
static GdkDragContext *drag; // the drag that was here last; held, so that no other one gets its address
static gchar **uris;         // what it carries, once that is known
static gboolean dropped;     // it was let go, and what it carries is not known yet

static void forget(GdkDragContext *next) {
	g_set_object(&drag, next);
	g_clear_pointer(&uris, g_strfreev);
	dropped = FALSE;
}

static void hand_over(void) {
	if (uris != NULL)
		goDropped(uris, (int)g_strv_length(uris));
	forget(NULL);
}

// WebKit asks for what a drag carries while it hovers; we only listen. It must
// still see each of these, so all say that they have not handled it.
static gboolean on_motion(GtkWidget *w, GdkDragContext *c, gint x, gint y, guint time, gpointer data) {
	if (c != drag)
		forget(c);
	return FALSE;
}

static void on_data(GtkWidget *w, GdkDragContext *c, gint x, gint y, GtkSelectionData *s, guint info, guint time,
                    gpointer data) {
	if (c != drag || gtk_selection_data_get_target(s) != gdk_atom_intern_static_string("text/uri-list"))
		return;
	g_strfreev(uris);
	uris = gtk_selection_data_get_uris(s);
	if (dropped)
		hand_over();
}

static gboolean on_drop(GtkWidget *w, GdkDragContext *c, gint x, gint y, guint time, gpointer data) {
	if (c == drag && uris != NULL)
		hand_over();
	else
		dropped = c == drag;
	return FALSE;
}

// What is shown could call what is bound to the window, so nothing but our own
// page is ever loaded, and no other window opens.
static gboolean on_policy(WebKitWebView *v, WebKitPolicyDecision *d, WebKitPolicyDecisionType type, gpointer data) {
	if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE)
		return FALSE;
	WebKitNavigationAction *a =
	    webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(d));
	const gchar *uri = webkit_uri_request_get_uri(webkit_navigation_action_get_request(a));
	gboolean ours = g_str_has_prefix(uri, "wails://wails/") || g_strcmp0(uri, "about:blank") == 0;
	if (ours && type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION)
		return FALSE;
	goBlocked((char *)uri);
	webkit_policy_decision_ignore(d);
	return TRUE;
}

static void on_download(WebKitWebContext *c, WebKitDownload *d, gpointer data) {
	goBlocked((char *)webkit_uri_request_get_uri(webkit_download_get_request(d)));
	webkit_download_cancel(d);
}

static void find_view(GtkWidget *w, gpointer found) {
	if (WEBKIT_IS_WEB_VIEW(w))
		*(GtkWidget **)found = w;
	else if (GTK_IS_CONTAINER(w))
		gtk_container_forall(GTK_CONTAINER(w), find_view, found);
}

static gboolean on_screen(int x, int y) {
	GdkDisplay *display = gdk_display_get_default();
	for (int i = 0; i < gdk_display_get_n_monitors(display); i++) {
		GdkRectangle r;
		gdk_monitor_get_workarea(gdk_display_get_monitor(display, i), &r);
		if (x >= r.x && y >= r.y && x < r.x + r.width && y < r.y + r.height)
			return TRUE;
	}
	return FALSE;
}

// place puts the window where it was, if its title bar can be taken hold of
// there.
static gboolean place(gpointer data) {
	Place *p = data;
	if (p->placed && on_screen(p->x + 60, p->y + 10))
		gtk_window_move(window, p->x, p->y);
	free(p);
	return G_SOURCE_REMOVE;
}

static gboolean attach(gpointer data) {
	Place *p = data;
	GtkWidget *view = NULL;
	GList *all = gtk_window_list_toplevels();
	for (GList *i = all; i != NULL && view == NULL; i = i->next)
		find_view(i->data, &view);
	g_list_free(all);
	if (view == NULL)
		return G_SOURCE_CONTINUE;
	window = GTK_WINDOW(gtk_widget_get_toplevel(view));
	g_signal_connect(view, "drag-motion", G_CALLBACK(on_motion), NULL);
	g_signal_connect(view, "drag-data-received", G_CALLBACK(on_data), NULL);
	g_signal_connect(view, "drag-drop", G_CALLBACK(on_drop), NULL);
	g_signal_connect(view, "decide-policy", G_CALLBACK(on_policy), NULL);
	g_signal_connect(webkit_web_view_get_context(WEBKIT_WEB_VIEW(view)), "download-started", G_CALLBACK(on_download),
	                 NULL);
	// What is seen before the page is, and dialogs.
	g_object_set(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", p->dark, NULL);
	// Without a GPU the toolkit draws overlay scrollbars above everything, dialogs
	// of the page too.
	g_object_set(gtk_settings_get_default(), "gtk-overlay-scrolling", FALSE, NULL);
	// Wails is about to centre the window; whoever comes after that has the last
	// word.
	g_idle_add(place, p);
	goAttached();
	return G_SOURCE_REMOVE;
}

void attach_soon(int x, int y, int placed, int dark) {
	Place *p = malloc(sizeof *p);
	*p = (Place){x, y, placed, dark};
	g_idle_add_full(G_PRIORITY_HIGH, attach, p, NULL);
}

static gboolean raise_now(gpointer data) {
	char *token = data;
	guint32 time = GDK_CURRENT_TIME;
	if (window != NULL) {
		GdkWindow *own = gtk_widget_get_window(GTK_WIDGET(window));
		if (*token != '\0')
			gtk_window_set_startup_id(window, token);
		// A person has just asked for it, in another process: the time of now
		// is that of the wish, and window managers want to see one.
		if (own != NULL && GDK_IS_X11_WINDOW(own))
			time = gdk_x11_get_server_time(own);
		gtk_window_present_with_time(window, time);
	}
	free(token);
	return G_SOURCE_REMOVE;
}

void raise_soon(char *token) { g_idle_add(raise_now, token); }

int is_x11(void) { return GDK_IS_X11_DISPLAY(gdk_display_get_default()); }
