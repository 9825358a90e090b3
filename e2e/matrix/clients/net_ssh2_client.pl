# The board's features with Net::SSH2 (libssh2). Reads a job as JSON from stdin, prints the outcome as JSON to stdout.
use strict;
use warnings;
use Digest::SHA 'sha256_hex';
use JSON::PP;
use Net::SSH2;

my $order = decode_json(do { local $/; <STDIN> });

sub fail { my ($what, $ssh) = @_; die join(' ', $what, $ssh ? $ssh->error : ()), "\n" }

sub connected {
  my $ssh = Net::SSH2->new;
  $ssh->connect($order->{host}, $order->{port}) or fail('connect:', $ssh);
  return $ssh;
}

sub signed_in {
  my $ssh = connected();
  $ssh->auth_password($order->{login}, $order->{password}) or fail('password:', $ssh);
  return $ssh;
}

# Runs a command to completion; undef runs a shell.
sub run {
  my ($ssh, $command, $data) = @_;
  my $channel = $ssh->channel or fail('channel:', $ssh);
  defined $command ? $channel->exec($command) || fail('exec:', $ssh) : $channel->shell || fail('shell:', $ssh);
  my ($out, $err) = ('', '');
  $channel->blocking(0);
  my $at = 0;
  my $ended = 0;
  until ($channel->eof) {
    if ($at < length $data) {
      my $written = $channel->write(substr($data, $at, 32768));
      $at += $written if defined $written && $written > 0;
    }
    elsif (!$ended) { $channel->send_eof; $ended = 1 }
    my ($read_out, $read_err) = (0, 0);
    $read_out = $channel->read(my $part_out, 65536) // 0;
    $out .= $part_out if $read_out > 0;
    $read_err = $channel->read(my $part_err, 65536, 1) // 0;
    $err .= $part_err if $read_err > 0;
    select(undef, undef, undef, 0.002) unless $read_out > 0 || $read_err > 0;
  }
  $channel->blocking(1);
  $channel->wait_closed;
  return ($out, $err, $channel->exit_status);
}

my $bytes = join '', map { chr } 0 .. 255;

my %features = (
  exec => sub {
    my @ran = run(signed_in(), 'echo out; echo err >&2; exit 7', '');
    return ($ran[0] eq "out\n" && $ran[1] eq "err\n" && $ran[2] == 7, \@ran);
  },
  input => sub {
    my $data = $bytes x 16384;
    my ($out, undef, $code) = run(signed_in(), 'cat', $data);
    return ($out eq $data, [sha256_hex($out), $code]);
  },
  shell => sub {
    my @ran = run(signed_in(), undef, "echo told; exit 5\n");
    return ($ran[0] eq "told\n" && $ran[2] == 5, \@ran);
  },
  key => sub {
    my $ssh = connected();
    my $key = $order->{ecdsaKeyFile};
    $ssh->auth_publickey($order->{login}, "$key.pub", $key) or fail('key:', $ssh);
    my @ran = run($ssh, 'echo by key', '');
    return ($ran[0] eq "by key\n", \@ran);
  },
  retry => sub {
    my $ssh = connected();
    my $wrong = $ssh->auth_password($order->{login}, 'wrong horse') ? 1 : 0;
    my $right = $ssh->auth_password($order->{login}, $order->{password}) ? 1 : 0;
    my @ran = $right ? run($ssh, 'echo in', '') : ();
    return (!$wrong && $right, [$wrong, $right, @ran]);
  },
  sftp => sub {
    my $ssh = signed_in();
    my $sftp = $ssh->sftp or fail('sftp:', $ssh);
    my $data = $bytes x 8192;
    $sftp->mkdir('tree', 0750) or fail('mkdir', $ssh);
    my $file = $sftp->open('tree/file', Fcntl::O_WRONLY() | Fcntl::O_CREAT(), 0640) or fail('open', $ssh);
    for (my $at = 0; $at < length $data;) {
      $at += $file->write(substr($data, $at, 30000)) || fail('write', $ssh);
    }
    undef $file;
    $sftp->rename('tree/file', 'tree/other') or fail('rename', $ssh);
    my ($back, $part) = ('', '');
    $file = $sftp->open('tree/other') or fail('open to read', $ssh);
    while ($file->read($part, 30000)) { $back .= $part }
    undef $file;
    my %status = $sftp->stat('tree/other');
    my $dir = $sftp->opendir('tree') or fail('opendir', $ssh);
    my @names;
    while (my %entry = $dir->read) { push @names, $entry{name} }
    undef $dir;
    my @errors;
    for my $attempt (sub { $sftp->stat('nothing') }, sub { $sftp->rmdir('tree') }, sub { $sftp->open('/etc/shadow') }) {
      $attempt->();
      push @errors, ($sftp->error)[1];
    }
    $sftp->unlink('tree/other') or fail('unlink', $ssh);
    $sftp->rmdir('tree') or fail('rmdir', $ssh);
    return ($back eq $data, [[sort @names], $status{size}, sprintf('%o', $status{mode}), @errors]);
  },
  scp => sub {
    my $ssh = signed_in();
    my ($near, $back) = map { "$order->{scratch}/$_" } qw(near back);
    open my $file, '>:raw', $near or die $!;
    print $file $bytes x 4096;
    close $file;
    chmod 0640, $near;
    $ssh->scp_put($near, 'far') or fail('scp_put', $ssh);
    $ssh->scp_get('far', $back) or fail('scp_get', $ssh);
    open $file, '<:raw', $back or die $!;
    my $read = do { local $/; <$file> };
    my @ran = run($ssh, 'stat -c "%a %s" far', '');
    return ($read eq $bytes x 4096, \@ran);
  },
  local => sub {
    my $ssh = signed_in();
    my $channel = $ssh->tcpip('127.0.0.1', $order->{echoPort}) or fail('tcpip:', $ssh);
    $channel->write("through\n");
    $channel->read(my $said, 100);
    return ($said eq "through\n", $said);
  },
);

require Fcntl;
my ($works, $outcome) = $features{ $order->{feature} }->();
print encode_json({ works => $works ? JSON::PP::true : JSON::PP::false, outcome => $outcome });
