"""The board's features with libssh, through its Python binding. Reads a job as JSON from stdin, prints the outcome as JSON to
stdout."""
import hashlib
import json
import os
import sys

from ssh import options
from ssh.exceptions import AuthenticationDenied
from ssh.key import import_privkey_file
from ssh.session import Session

order = json.load(sys.stdin)


def connect():
    session = Session()
    session.options_set(options.HOST, order["host"])
    session.options_set(options.USER, order["login"])
    session.options_set_port(order["port"])
    session.connect()
    return session


def sign_in():
    session = connect()
    session.userauth_password(order["login"], order["password"])
    return session


def run(session, command, data=b""):
    channel = session.channel_new()
    channel.open_session()
    if command is None:
        channel.request_shell()
    else:
        channel.request_exec(command)
    out, err, at = bytearray(), bytearray(), 0
    # Reads between writes, or both windows would fill up.
    while at < len(data):
        _, written = channel.write(data[at : at + 32768])
        at += written
        out += channel.read_nonblocking(65536)[1]
    channel.send_eof()
    while True:
        size, part = channel.read(65536)
        if size <= 0:
            break
        out += part
    while True:
        size, part = channel.read(65536, is_stderr=True)
        if size <= 0:
            break
        err += part
    code = channel.get_exit_status()
    channel.close()
    return [bytes(out), bytes(err), code]


def texts(ran):
    return [ran[0].decode(), ran[1].decode(), ran[2]]


def feature_exec():
    ran = run(sign_in(), "echo out; echo err >&2; exit 7")
    return ran == [b"out\n", b"err\n", 7], texts(ran)


def feature_input():
    data = bytes(range(256)) * 16384
    out, _, code = run(sign_in(), "cat", data)
    return out == data, [hashlib.sha256(out).hexdigest(), code]


def feature_ahead():
    # The read after a write takes less than was written, so this client gets megabytes ahead of what it has read.
    data = os.urandom(1 << 20) * 8
    out, _, code = run(sign_in(), "cat", data)
    return out == data, [len(out), code]


def feature_shell():
    ran = run(sign_in(), None, b"echo told; exit 5\n")
    return ran[0] == b"told\n" and ran[2] == 5, texts(ran)


def feature_key():
    session = connect()
    session.userauth_publickey(import_privkey_file(order["keyFile"]))
    ran = run(session, "echo by key")
    return ran[0] == b"by key\n", texts(ran)


def feature_retry():
    session = connect()
    try:
        session.userauth_password(order["login"], "wrong horse")
        return False, "the wrong password was taken"
    except AuthenticationDenied:
        pass
    session.userauth_password(order["login"], order["password"])
    ran = run(session, "echo in")
    return ran[0] == b"in\n", texts(ran)


def feature_questions():
    session = connect()
    asked = []
    while session.userauth_kbdint(order["login"], "") != 0:
        for at in range(session.userauth_kbdint_getnprompts()):
            asked.append(session.userauth_kbdint_getprompt(at, b"").decode())
            session.userauth_kbdint_setanswer(at, order["password"].encode())
    ran = run(session, "echo in")
    return ran[0] == b"in\n", [len(asked), texts(ran)]


def feature_sftp():
    data = bytes(range(256)) * 8192
    sftp = sign_in().sftp_new()
    sftp.init()
    sftp.mkdir("tree", 0o750)
    with sftp.open("tree/file", os.O_WRONLY | os.O_CREAT, 0o640) as file:
        for at in range(0, len(data), 30000):
            file.write(data[at : at + 30000])
    sftp.rename("tree/file", "tree/other")
    sftp.symlink("other", "tree/link")
    back = b""
    with sftp.open("tree/link", os.O_RDONLY, 0) as file:
        for size, part in file:
            back += part
    status = sftp.stat("tree/other")
    with sftp.opendir("tree") as folder:
        names = sorted(entry.name.decode() for entry in folder)
    errors = []
    for attempt in (lambda: sftp.stat("nothing"), lambda: sftp.rmdir("tree"), lambda: sftp.open("/etc/shadow", 0, 0)):
        try:
            attempt()
        except Exception as error:
            errors.append(type(error).__name__)
    sftp.unlink("tree/link")
    sftp.unlink("tree/other")
    sftp.rmdir("tree")
    return back == data and len(errors) == 3, [names, status.size, oct(status.permissions), errors]


def feature_local():
    channel = sign_in().channel_new()
    channel.open_forward("127.0.0.1", order["echoPort"], "127.0.0.1", 1)
    channel.write(b"through\n")
    said = channel.read(100)[1]
    return said == b"through\n", said.decode()


works, outcome = globals()["feature_" + order["feature"]]()
json.dump({"works": works, "outcome": outcome}, sys.stdout)
