# The hook command inside a cell, in perl without any module: it starts many times faster than node. Exit 0 lets
# the tool call or commit go on, exit 2 blocks it and tells the agent why on stderr; every trouble ends in exit 2.
#   perl watcher.pl SOCKET [--canary | --hook NAME]
# Each call waits for it to be compiled, so only what an allowed call needs stands before __END__.
$SIG{ALRM} = $SIG{__DIE__} = sub { refuse("watcher-failed\nThe watcher took too long or failed.") };
$SIG{PIPE} = 'IGNORE';
alarm 5;

my ($path, $flag, $hook) = @ARGV;
my $text = '';
if ($flag ne '--canary') {
  while (1) {
    my $got = sysread(STDIN, $text, 1 << 16, length $text);
    unanswered($!) if !defined $got;
    last if $got == 0;
    refuse("call-too-large\nThe call is larger than 16 MB; write smaller files.") if length $text > 1 << 24;
  }
}
# As it came, its length before it: nothing in it can be taken for a part of the request.
$text = "$flag $hook " . length($text) . "\n$text";

# AF_UNIX and SOCK_STREAM are 1 everywhere; only Linux has no length before the family.
my $family = $^O eq 'linux' ? pack('S', 1) : pack('CC', 2 + length $path, 1);
socket(SERVER, 1, 1, 0) && connect(SERVER, "$family$path\0") or unanswered($!);
for (my $sent = 0; $sent < length $text;) {
  $sent += syswrite(SERVER, $text, 1 << 20, $sent) || unanswered($!);
}
# `allow`; `print` and what to print; or `block`, the rule and the details in a line each, the details to the end.
my $answer = '';
# Before it comes `wait` again and again where a person is asked.
while ($answer ne "allow\n" && sysread(SERVER, $answer, 1 << 16, length $answer)) {
  alarm 5 if $answer =~ s/\A(?:wait\n)+//;
}
exit 0 if $answer eq "allow\n";
if ($answer =~ /\Aprint (\d+)\n(.*)\z/s && length $2 == $1) {
  my $output = $2;
  for (my $sent = 0; $sent < length $output;) {
    $sent += syswrite(STDOUT, $output, 1 << 16, $sent) || unanswered($!);
  }
  exit 0;
}
refuse($1) if $answer =~ /\Ablock\n(.+)/s;
unanswered('its answer cannot be read');

sub unanswered { refuse("watcher-failed\nThe orchestrator did not answer ($_[0]); stop working.") }

sub refuse {
  ($said) = @_;
  eval join '', <DATA>;
  exit 2;
}
__END__
# Nobody may read what it says: then the alarm kills it, which its shell turns into a 2.
$SIG{ALRM} = 'DEFAULT';
alarm 2;
my ($rule, $why) = split /\n/, $said, 2;
print STDERR "$why [$rule]\n";
