import packtool.host.PackHost;
import packtool.host.PackView;

/**
 * One start of an app that opens its page. Prints the page's title. Arguments: the store, the registry's address, the path of root.json,
 * and `confirm` if the page works; otherwise it is never confirmed. An update follows.
 */
final class Start {
    public static void main(String[] arguments) throws Exception {
        try (PackHost host = PackHost.open(Check.settings(arguments)); PackView view = host.openView()) {
            host.start(60_000, null);
            String page = Check.page(view);
            System.out.println(page.substring(page.indexOf("<title>") + "<title>".length(), page.indexOf("</title>")));
            if (arguments.length > 3) view.confirm();
            Check.update(host);
        }
    }
}
