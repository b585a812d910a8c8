#pragma once
#include <gio/gunixinputstream.h>
#include <glib-unix.h>
#include <malloc.h>
#include <sys/eventfd.h>
#include <webkit2/webkit2.h>

// What Swift cannot call: functions with variable arguments, and macros. No decision is made here.

static inline WebKitWebContext *pack_web_context_new(const char *data, const char *cache) {
    WebKitWebsiteDataManager *manager = data
        ? webkit_website_data_manager_new("base-data-directory", data, "base-cache-directory", cache, NULL)
        : webkit_website_data_manager_new_ephemeral();
    WebKitWebContext *context = webkit_web_context_new_with_website_data_manager(manager);
    g_object_unref(manager);
    return context;
}

static inline WebKitWebView *pack_web_view_new(WebKitWebContext *context, WebKitUserContentManager *content) {
    return WEBKIT_WEB_VIEW(
        g_object_new(WEBKIT_TYPE_WEB_VIEW, "web-context", context, "user-content-manager", content, NULL));
}

// In all frames, or in those whose address is in the pattern.
static inline WebKitUserScript *pack_user_script_new(const char *source, const char *pattern) {
    const char *const list[] = {pattern, NULL};
    return webkit_user_script_new(
        source, WEBKIT_USER_CONTENT_INJECT_ALL_FRAMES, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, pattern ? list : NULL,
        NULL);
}

// In the view's own frame only.
static inline WebKitUserScript *pack_user_script_new_top(const char *source) {
    return webkit_user_script_new(
        source, WEBKIT_USER_CONTENT_INJECT_TOP_FRAME, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, NULL, NULL);
}

static inline GtkWindow *pack_window(GtkWidget *widget) { return GTK_WINDOW(widget); }
static inline GtkContainer *pack_container(GtkWidget *widget) { return GTK_CONTAINER(widget); }
static inline GObject *pack_object(gpointer object) { return G_OBJECT(object); }
static inline GtkWidget *pack_widget(gpointer object) { return GTK_WIDGET(object); }

// What service workers keep: their registrations and Cache storage.
static inline WebKitWebsiteDataTypes pack_worker_data(void) {
    return WEBKIT_WEBSITE_DATA_SERVICE_WORKER_REGISTRATIONS | WEBKIT_WEBSITE_DATA_DOM_CACHE;
}

static inline void pack_free_website_data(GList *list) {
    g_list_free_full(list, (GDestroyNotify)webkit_website_data_unref);
}

static inline void pack_destroy_child(GtkWidget *child, gpointer parent) {
    (void)parent;
    gtk_widget_destroy(child);
}

// A view's children are dialogs of its page.
static inline void pack_remove_children(gpointer parent) {
    gtk_container_foreach(GTK_CONTAINER(parent), pack_destroy_child, NULL);
}

static inline gulong pack_connect(gpointer object, const char *signal, void *handler, gpointer data) {
    return g_signal_connect_data(object, signal, G_CALLBACK(handler), data, NULL, (GConnectFlags)0);
}

static inline void pack_disconnect_all(gpointer object, gpointer data) {
    g_signal_handlers_disconnect_by_data(object, data);
}

static inline GError *pack_error(const char *message) {
    return g_error_new_literal(G_IO_ERROR, G_IO_ERROR_FAILED, message);
}

static inline GtkWidget *pack_offscreen_window_new(void) { return gtk_offscreen_window_new(); }

// libdispatch's own door for a foreign main loop, which Foundation's run loop uses as well: a descriptor that is
// readable when the main queue has work, and the call that does the work.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *ignored);

static inline gboolean pack_drain_main_queue(gint descriptor, GIOCondition condition, gpointer data) {
    (void)condition;
    (void)data;
    eventfd_t count;
    eventfd_read(descriptor, &count);
    _dispatch_main_queue_callback_4CF(NULL);
    return G_SOURCE_CONTINUE;
}

static inline void pack_join_main_queue(void) {
    g_unix_fd_add(_dispatch_get_main_queue_handle_4CF(), G_IO_IN, pack_drain_main_queue, NULL);
}

// 0: nothing here knows; 1: unmetered; 2: metered. The netlink monitor of GLib calls every network unmetered.
static inline int pack_network_kind(void) {
    GNetworkMonitor *monitor = g_network_monitor_get_default();
    const char *name = G_OBJECT_TYPE_NAME(monitor);
    if (g_strcmp0(name, "GNetworkMonitorNM") != 0 && g_strcmp0(name, "GNetworkMonitorPortal") != 0) return 0;
    return g_network_monitor_get_network_metered(monitor) ? 2 : 1;
}
