# The hook command inside a cell, in perl without any module: it starts many times faster than node. Exit 0 lets
# the tool call or commit go on, exit 2 blocks it and tells the agent why on stderr; every trouble ends in exit 2.
#   perl watcher.pl SOCKET [--canary | --hook NAME]
$SIG{ALRM} = $SIG{__DIE__} = sub { refuse('The watcher took too long or failed.', 'watcher-failed') };
$SIG{PIPE} = 'IGNORE';
alarm 5;

my ($path, $flag, $hook) = @ARGV;
my $request = '{"canary":true}';
if (!defined $flag || $flag eq '--hook') {
  my $call = take(STDIN);
  # As a string in its request, so that nothing in it can be taken for a part of the request.
  $call =~ s/(["\\])/\\$1/g;
  $call =~ s/\n/\\n/g;
  $call =~ s/\r/\\r/g;
  $call =~ s/\t/\\t/g;
  # No call holds other controls, but lists of paths end each with NUL.
  $call =~ s/([\x00-\x1f])/sprintf '\u%04x', ord $1/ge if defined $flag;
  my $of = defined $flag ? qq("gitHook":"$hook",) : '';
  $request = qq({$of"text":"$call"});
}

# AF_UNIX and SOCK_STREAM are 1 everywhere; only Linux has no length before the family.
my $family = $^O eq 'linux' ? pack('S', 1) : pack('CC', 2 + length $path, 1);
socket(SERVER, 1, 1, 0) && connect(SERVER, "$family$path\0") or unanswered($!);
$request .= "\n";
for (my $sent = 0; $sent < length $request;) {
  $sent += syswrite(SERVER, $request, 1 << 20, $sent) || unanswered($!);
}
# As the server writes it: the decision, the rule, the details.
take(SERVER) =~ /\A\{"decision":"(allow|block)","rule":"([a-z0-9-]*)","details":"((?:[^"\\]|\\.)*)"\}\n\z/
  or unanswered('its answer can not be read');
exit 0 if $1 eq 'allow';
refuse($3, $2);

sub take {
  my ($from) = @_;
  my $text = '';
  while (1) {
    my $got = sysread($from, $text, 1 << 16, length $text);
    unanswered($!) if !defined $got;
    return $text if $got == 0;
    refuse('The call is larger than 16 MB; write smaller files.', 'call-too-large') if length $text > 1 << 24;
  }
}

sub unanswered { refuse("The orchestrator did not answer ($_[0]); stop working.", 'watcher-failed') }

sub refuse {
  my ($why, $rule) = @_;
  # Nobody may read what it says: then the alarm kills it, which its shell turns into a 2.
  $SIG{ALRM} = 'DEFAULT';
  alarm 2;
  $why =~ s/\\n/\n/g;
  $why =~ s/\\(["\\])/$1/g;
  print STDERR "$why [$rule]\n";
  exit 2;
}
