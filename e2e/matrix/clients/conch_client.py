"""The board's features with Twisted Conch. Reads a job as JSON from stdin, prints the outcome as JSON to stdout."""
import hashlib
import json
import os
import struct
import sys

from twisted.conch.ssh import channel, common, connection, filetransfer, forwarding, keys, transport, userauth
from twisted.internet import defer, protocol, reactor

order = json.load(sys.stdin)
DATA = bytes(range(256)) * 8192


class Transport(transport.SSHClientTransport):
    def verifyHostKey(self, key, fingerprint):
        return defer.succeed(1)

    def connectionSecure(self):
        self.requestService(Auth(order["login"].encode(), Connection(self.factory.ready)))

    def connectionLost(self, reason):
        super().connectionLost(reason)
        if not self.factory.ready.called:
            self.factory.ready.errback(reason)


class Auth(userauth.SSHUserAuthClient):
    feature = order["feature"]
    preferredOrder = [b"publickey"] if feature == "key" else [b"password"]
    passwords = (["wrong horse"] if feature == "retry" else []) + [order["password"]]

    def getPassword(self, prompt=None):
        return defer.succeed(self.passwords.pop(0).encode()) if self.passwords else None

    def getPublicKey(self):
        return self.read_key().public() if self.feature == "key" and not self.lastPublicKey else None

    def getPrivateKey(self):
        return defer.succeed(self.read_key())

    def read_key(self):
        return keys.Key.fromFile(order["ecdsaKeyFile"])


class Connection(connection.SSHConnection):
    def __init__(self, ready):
        super().__init__()
        self.ready = ready

    def serviceStarted(self):
        self.ready.callback(self)


class Run(channel.SSHChannel):
    """Runs one command to completion."""

    name = b"session"

    def __init__(self, conn, command, data=b"", terminal=False):
        super().__init__(conn=conn, localWindow=2**21, localMaxPacket=2**15)
        self.command, self.input, self.terminal = command, data, terminal
        self.out, self.err, self.code = b"", b"", None
        self.told, self.ended = False, True
        self.done = defer.Deferred()
        conn.openChannel(self)

    @defer.inlineCallbacks
    def channelOpen(self, data):
        if self.terminal:
            size = struct.pack(">4L", 100, 30, 0, 0)
            yield self.conn.sendRequest(self, b"pty-req", common.NS(b"vt100") + size + common.NS(b"\0"), wantReply=1)
        yield self.conn.sendRequest(self, b"exec", common.NS(self.command.encode()), wantReply=1)
        if not self.terminal:
            self.ended = False
            self.write(self.input)
            self.end_input()

    def addWindowBytes(self, data):
        super().addWindowBytes(data)
        self.end_input()

    def end_input(self):
        # Bytes beyond the window are sent later.
        if not self.buf and not self.ended:
            self.ended = True
            self.conn.sendEOF(self)

    def openFailed(self, reason):
        self.done.errback(reason)

    def dataReceived(self, data):
        self.out += data
        if self.terminal and b"vt100" in self.out and not self.told:
            self.told = True
            self.conn.sendRequest(self, b"window-change", struct.pack(">4L", 120, 40, 0, 0))
            self.write(b"\n")

    def extReceived(self, kind, data):
        self.err += data

    def request_exit_status(self, data):
        self.code = struct.unpack(">L", data)[0]

    def closed(self):
        self.done.callback([self.out, self.err, self.code])


class Subsystem(channel.SSHChannel):
    name = b"session"

    def __init__(self, conn):
        super().__init__(conn=conn, localWindow=2**21, localMaxPacket=2**15)
        self.ready = defer.Deferred()
        conn.openChannel(self)

    @defer.inlineCallbacks
    def channelOpen(self, data):
        yield self.conn.sendRequest(self, b"subsystem", common.NS(b"sftp"), wantReply=1)
        client = filetransfer.FileTransferClient()
        client.makeConnection(self)
        self.dataReceived = client.dataReceived
        self.ready.callback(client)


class Forwarded(channel.SSHChannel):
    name = b"direct-tcpip"

    def __init__(self, conn):
        super().__init__(conn=conn)
        self.said, self.done = b"", defer.Deferred()
        there = forwarding.packOpen_direct_tcpip(("127.0.0.1", order["echoPort"]), ("127.0.0.1", 1))
        conn.openChannel(self, there)

    def channelOpen(self, data):
        self.write(b"through\n")

    def openFailed(self, reason):
        self.done.errback(reason)

    def dataReceived(self, data):
        self.said += data
        if len(self.said) == 8:
            self.done.callback(self.said)


def texts(ran):
    return [ran[0].decode(), ran[1].decode(), ran[2]]


@defer.inlineCallbacks
def feature_exec(conn):
    ran = yield Run(conn, "echo out; echo err >&2; exit 7").done
    return ran == [b"out\n", b"err\n", 7], texts(ran)


@defer.inlineCallbacks
def feature_input(conn):
    out, _, code = yield Run(conn, "cat", DATA + DATA).done
    return out == DATA + DATA, [hashlib.sha256(out).hexdigest(), code]


@defer.inlineCallbacks
def feature_pty(conn):
    ran = yield Run(conn, "stty size; echo $TERM; read line; stty size", terminal=True).done
    return b"30 100" in ran[0] and b"40 120" in ran[0], texts(ran)


@defer.inlineCallbacks
def feature_retry(conn):
    ran = yield Run(conn, "echo in").done
    return ran[0] == b"in\n" and not Auth.passwords, texts(ran)


@defer.inlineCallbacks
def feature_key(conn):
    ran = yield Run(conn, "echo by key").done
    return ran[0] == b"by key\n", texts(ran)


@defer.inlineCallbacks
def feature_many(conn):
    runs = yield defer.gatherResults([Run(conn, f"echo {at}").done for at in range(20)])
    answers = [ran[0].decode() for ran in runs]
    return answers == [f"{at}\n" for at in range(20)], answers


@defer.inlineCallbacks
def feature_local(conn):
    said = yield Forwarded(conn).done
    return said == b"through\n", said.decode()


@defer.inlineCallbacks
def feature_sftp(conn):
    sftp = yield Subsystem(conn).ready
    yield sftp.makeDirectory(b"tree", {"permissions": 0o750})
    file = yield sftp.openFile(b"tree/file", filetransfer.FXF_WRITE | filetransfer.FXF_CREAT, {"permissions": 0o640})
    for at in range(0, len(DATA), 30000):
        yield file.writeChunk(at, DATA[at : at + 30000])
    yield file.close()
    yield sftp.renameFile(b"tree/file", b"tree/other")
    yield sftp.makeLink(b"tree/link", b"other")
    file = yield sftp.openFile(b"tree/other", filetransfer.FXF_READ, {})
    back = b""
    while len(back) < len(DATA):
        back += yield file.readChunk(len(back), 30000)
    yield file.close()
    status = yield sftp.getAttrs(b"tree/other")
    folder = yield sftp.openDirectory(b"tree")
    names = []
    try:
        while True:
            entries = yield folder.read()
            names += [entry[0].decode() for entry in entries]
    except EOFError:
        yield folder.close()
    errors = []
    for attempt in (
        lambda: sftp.getAttrs(b"nothing"),
        lambda: sftp.removeDirectory(b"tree"),
        lambda: sftp.openFile(b"/etc/shadow", filetransfer.FXF_READ, {}),
    ):
        try:
            yield attempt()
        except filetransfer.SFTPError as error:
            errors.append([error.code, str(error.message)])
    yield sftp.removeFile(b"tree/other")
    return back == DATA and len(errors) == 3, [sorted(names), status["size"], oct(status["permissions"]), errors]


def tell(answer):
    works, outcome = answer
    json.dump({"works": works, "outcome": outcome}, sys.stdout)
    sys.stdout.flush()
    os._exit(0)


def fail(failure):
    failure.printTraceback(file=sys.stderr)
    os._exit(1)


class Factory(protocol.ClientFactory):
    protocol = Transport
    ready = defer.Deferred()

    def clientConnectionFailed(self, connector, reason):
        self.ready.errback(reason)


factory = Factory()
factory.ready.addCallback(globals()["feature_" + order["feature"]]).addCallbacks(tell, fail)
reactor.connectTCP(order["host"], order["port"], factory)
reactor.run()
