#!/usr/bin/perl
# Tries what packtool.service forbids, in the place of its program, as its user. Prints each refusal, and fails if something is allowed.
# The numbers of system calls are those of x86-64.
use strict;
use warnings;

my %errors = (1 => "EPERM", 13 => "EACCES", 30 => "EROFS", 97 => "EAFNOSUPPORT");
my $faults = 0;

# How a call ends, in a process of its own: a filter may end that. 0: allowed.
sub outcome {
    my ($call) = @_;
    my $child = fork // die "fork: $!";
    exit($call->() ? 0 : $! + 0) if !$child;
    waitpid $child, 0;
    my $signal = $? & 127;
    return $signal == 31 ? "SIGSYS" : "signal $signal" if $signal;
    return $? == 0 ? "allowed" : $errors{$? >> 8} // "error " . ($? >> 8);
}

sub expect {
    my ($restriction, $wanted, $what, $call) = @_;
    my $seen = outcome($call);
    print(($seen eq "allowed" ? "allowed" : "refused"), " $what: $seen ($restriction)\n");
    if ($seen ne $wanted) { print "error: $what: $seen, not $wanted\n"; $faults++ }
}

sub hidden {
    my ($restriction, $path) = @_;
    if (-e $path) { print "error: $path is visible ($restriction)\n"; $faults++ } else { print "refused $path: not there ($restriction)\n" }
}

sub call { my @words = @_; return sub { syscall($words[0], @words[1 .. $#words]) >= 0 } }
sub creates { my ($path) = @_; return sub { open(my $file, ">", $path) } }

$| = 1;
expect("StateDirectory", "allowed", "writing in /var/lib/packtool", creates("/var/lib/packtool/probe"));
expect("ProtectSystem", "EROFS", "writing in /opt/anyone", creates("/opt/anyone/probe"));
expect("ProtectHome", "EACCES", "reading /home", sub { opendir(my $folder, "/home") });
expect("ProtectHome", "EACCES", "reading /root", sub { opendir(my $folder, "/root") });
hidden("PrivateTmp", "/tmp/of-others");
hidden("PrivateDevices", "/dev/of-others");
hidden("ProtectProc", "/proc/1");
hidden("ProcSubset", "/proc/meminfo");
hidden("ProcSubset, ProtectKernelTunables", "/proc/sys/kernel");
expect("ProtectControlGroups", "EROFS", "making a cgroup", sub { mkdir "/sys/fs/cgroup/probe" });
expect("RestrictAddressFamilies", "EAFNOSUPPORT", "a netlink socket", call(41, 16, 3, 0));
expect("RestrictAddressFamilies", "allowed", "an internet socket", call(41, 2, 1, 0));
expect("MemoryDenyWriteExecute", "EPERM", "memory to write and execute", call(9, 0, 4096, 7, 0x22, -1, 0));
expect("RestrictNamespaces", "EPERM", "a user namespace", call(272, 0x10000000));
expect("LockPersonality", "EPERM", "another personality", call(135, 8));
expect("RestrictSUIDSGID", "EPERM", "a set-user-id file", sub { chmod 04755, "/var/lib/packtool/probe" });
expect("SystemCallFilter", "SIGSYS", "mount", call(165, 0, 0, 0, 0, 0));
expect("SystemCallFilter", "SIGSYS", "reboot", call(169, 0, 0, 0, 0));
expect("SystemCallFilter", "SIGSYS", "setting the clock", call(164, 0, 0));
expect("SystemCallFilter", "SIGSYS", "tracing a process", call(101, 0, 0, 0, 0));
expect("SystemCallFilter", "SIGSYS", "real-time scheduling", call(144, 0, 1, pack("i", 1)));
expect("SystemCallFilter", "allowed", "a lower priority", call(141, 0, 0, 5));
open(my $map, "<", "/proc/self/uid_map") or die;
my $users = <$map>;
if ($users =~ /4294967295/) { print "error: all users are there (PrivateUsers)\n"; $faults++ }
else { print "refused users but its own and root (PrivateUsers)\n" }
unlink "/var/lib/packtool/probe";
exit($faults ? 1 : 0);
