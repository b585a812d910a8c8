// The loopback proxy.
