# The board's features with net-ssh and net-sftp. Reads a job as JSON from stdin, prints the outcome as JSON to stdout.
require 'digest'
require 'json'
require 'net/sftp'
require 'socket'

ORDER = JSON.parse($stdin.read)
# net-ssh itself prints to stdout when it forwards.
ANSWER = $stdout.dup
$stdout.reopen($stderr)

# Answers each prompt with the correct password.
class Prompt
  def start(_info) = self
  def ask(_prompt, _echo = true) = ORDER['password']
  def success; end
end

HOW = { port: ORDER['port'], verify_host_key: :never, config: false, use_agent: false, timeout: 20 }.freeze
PASSWORD = { password: ORDER['password'], auth_methods: ['password'], non_interactive: true }.freeze

def connect(secret = PASSWORD, &block)
  Net::SSH.start(ORDER['host'], ORDER['login'], **HOW, **secret, &block)
end

# Opens a channel for a command; the outcome is complete once the session's loop has ended.
def open_run(ssh, command, data = '')
  ran = { out: String.new(encoding: 'BINARY'), err: String.new(encoding: 'BINARY'), code: nil }
  ssh.open_channel do |channel|
    channel.exec(command) do |_, success|
      raise 'exec' unless success

      channel.on_data { |_, text| ran[:out] << text }
      channel.on_extended_data { |_, _, text| ran[:err] << text }
      channel.on_request('exit-status') { |_, message| ran[:code] = message.read_long }
      channel.send_data(data)
      channel.eof!
    end
  end
  ran
end

def run(ssh, command, data = '')
  ran = open_run(ssh, command, data)
  ssh.loop
  [ran[:out], ran[:err], ran[:code]]
end

def feature_exec
  ran = connect { |ssh| run(ssh, 'echo out; echo err >&2; exit 7') }
  [ran == ["out\n", "err\n", 7], ran]
end

def feature_input
  data = (0..255).to_a.pack('C*') * 16_384
  out, _, code = connect { |ssh| run(ssh, 'cat', data) }
  [out == data, [Digest::SHA256.hexdigest(out), code]]
end

def feature_pty
  said = +''
  connect do |ssh|
    ssh.open_channel do |channel|
      channel.request_pty(term: 'vt100', chars_wide: 100, chars_high: 30) { |_, success| raise 'pty' unless success }
      channel.exec('stty size; echo $TERM; read line; stty size') do
        channel.on_data do |_, text|
          said << text
          next unless said.include?('vt100') && !said.include?('40 120') && !channel[:told]

          channel[:told] = true
          channel.send_channel_request('window-change', :long, 120, :long, 40, :long, 0, :long, 0)
          channel.send_data("\n")
        end
      end
    end
    ssh.loop
  end
  [said.include?('30 100') && said.include?('40 120'), said]
end

# Reading Ed25519 keys needs a gem that Debian does not package.
def feature_key
  ran = connect(keys: [ORDER['ecdsaKeyFile']], keys_only: true, auth_methods: ['publickey'], non_interactive: true) do |ssh|
    run(ssh, 'echo by key')
  end
  [ran[0] == "by key\n", ran]
end

# As when no gem for Ed25519 is installed.
def feature_ecdsa
  host_key = ['ecdsa-sha2-nistp256', 'rsa-sha2-256']
  ran = connect({ **PASSWORD, host_key: host_key }) { |ssh| run(ssh, 'echo in') }
  [ran[0] == "in\n", ran]
end

def feature_retry
  secret = { password: 'wrong horse', auth_methods: ['password'], number_of_password_prompts: 2 }
  ran = connect({ **secret, password_prompt: Prompt.new }) { |ssh| run(ssh, 'echo in') }
  [ran[0] == "in\n", ran]
end

def feature_sftp
  data = (0..255).to_a.pack('C*') * 8192
  near, back = %w[near back].map { |name| File.join(ORDER['scratch'], name) }
  File.binwrite(near, data)
  Net::SFTP.start(ORDER['host'], ORDER['login'], { **HOW, **PASSWORD }) do |sftp|
    sftp.mkdir!('tree', permissions: 0o750)
    sftp.upload!(near, 'tree/file')
    sftp.rename!('tree/file', 'tree/other')
    sftp.setstat!('tree/other', permissions: 0o600)
    sftp.download!('tree/other', back)
    status = sftp.stat!('tree/other')
    names = sftp.dir.entries('tree').map(&:name).sort
    errors = [-> { sftp.stat!('nothing') }, -> { sftp.rmdir!('tree') }, -> { sftp.open!('/etc/shadow') }].map do |attempt|
      attempt.call
      nil
    rescue Net::SFTP::StatusException => e
      [e.code, e.description]
    end
    sftp.remove!('tree/other')
    sftp.rmdir!('tree')
    return [File.binread(back) == data && errors.all?, [names, status.size, status.permissions, errors]]
  end
end

def through(port)
  TCPSocket.open('127.0.0.1', port) do |socket|
    socket.write("through\n")
    socket.gets
  end
end

def feature_local
  connect do |ssh|
    port = ssh.forward.local('127.0.0.1', 0, '127.0.0.1', ORDER['echoPort'])
    asking = Thread.new { through(port) }
    ssh.loop(0.05) { asking.alive? }
    [asking.value == "through\n", asking.value]
  end
end

def feature_remote
  connect do |ssh|
    ssh.forward.remote(ORDER['echoPort'], '127.0.0.1', ORDER['freePort'], '127.0.0.1')
    ssh.loop(0.05) { ssh.forward.active_remotes.empty? }
    asking = Thread.new { through(ORDER['freePort']) }
    ssh.loop(0.05) { asking.alive? }
    [asking.value == "through\n", asking.value]
  end
end

def feature_many
  answers = connect do |ssh|
    running = Array.new(20) { |at| open_run(ssh, "echo #{at}") }
    ssh.loop
    running.map { |ran| ran[:out] }
  end
  [answers == Array.new(20) { |at| "#{at}\n" }, answers]
end

works, outcome = send("feature_#{ORDER['feature']}")
ANSWER.print JSON.generate({ works: works, outcome: outcome })
