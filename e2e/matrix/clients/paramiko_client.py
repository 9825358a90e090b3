"""The board's features with paramiko. Reads a job as JSON from stdin, prints the outcome as JSON to stdout."""
import hashlib
import json
import socket
import sys
import threading

import paramiko

order = json.load(sys.stdin)


def connect(by_key=False):
    client = paramiko.SSHClient()
    client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
    secret = {"key_filename": order["keyFile"]} if by_key else {"password": order["password"]}
    client.connect(order["host"], order["port"], order["login"], look_for_keys=False, allow_agent=False, timeout=20, **secret)
    return client


def run(client, command, data=b""):
    channel = client.get_transport().open_session()
    channel.exec_command(command)
    sender = threading.Thread(target=lambda: (channel.sendall(data), channel.shutdown_write()))
    sender.start()
    out, err = channel.makefile("rb").read(), channel.makefile_stderr("rb").read()
    sender.join()
    return out, err, channel.recv_exit_status()


def feature_exec(client):
    out, err, code = run(client, "echo out; echo err >&2; exit 7")
    return out == b"out\n" and err == b"err\n" and code == 7, [out.decode(), err.decode(), code]


def feature_input(client):
    data = bytes(range(256)) * 16384
    out, _, code = run(client, "cat", data)
    return out == data, [hashlib.sha256(out).hexdigest(), code]


def feature_pty(client):
    channel = client.get_transport().open_session()
    channel.get_pty("vt100", 100, 30)
    channel.exec_command("stty size; echo $TERM; read line; stty size")
    said = b""
    while b"vt100" not in said:
        said += channel.recv(1000)
    channel.resize_pty(120, 40)
    channel.sendall(b"\n")
    while True:
        more = channel.recv(1000)
        if not more:
            break
        said += more
    return b"30 100" in said and b"40 120" in said, said.decode()


def feature_key(client):
    other = connect(by_key=True)
    out, _, code = run(other, "echo by key")
    return out == b"by key\n", [out.decode(), code]


def feature_signal(client):
    out, err, code = run(client, "kill -TERM $$")
    return code == -1, [out.decode(), err.decode(), code]


def feature_sftp(client):
    sftp = client.open_sftp()
    data = bytes(range(256)) * 8192
    sftp.mkdir("tree", 0o750)
    with sftp.open("tree/file", "wb") as file:
        file.set_pipelined(True)
        file.write(data)
    sftp.rename("tree/file", "tree/other")
    sftp.symlink("other", "tree/link")
    sftp.chmod("tree/other", 0o600)
    sftp.utime("tree/other", (1000000000, 1000000001))
    with sftp.open("tree/link", "rb") as file:
        file.prefetch()
        back = file.read()
    listing = sorted((entry.filename, entry.st_mode, entry.st_size) for entry in sftp.listdir_attr("tree") if entry.filename != "link")
    status = sftp.stat("tree/other")
    errors = []
    for attempt in (lambda: sftp.stat("nothing"), lambda: sftp.rmdir("tree"), lambda: sftp.open("/etc/shadow")):
        try:
            attempt()
        except OSError as error:
            errors.append(str(error))
    sftp.remove("tree/link")
    sftp.remove("tree/other")
    sftp.rmdir("tree")
    return back == data and len(errors) == 3, [listing, status.st_mtime, errors, sftp.readlink is not None]


def feature_local(client):
    channel = client.get_transport().open_channel("direct-tcpip", ("127.0.0.1", order["echoPort"]), ("127.0.0.1", 1))
    channel.sendall(b"through\n")
    said = channel.recv(100)
    return said == b"through\n", said.decode()


def feature_remote(client):
    transport = client.get_transport()
    port = transport.request_port_forward("127.0.0.1", order["freePort"])
    threading.Thread(target=lambda: serve(transport.accept(20)), daemon=True).start()
    with socket.create_connection(("127.0.0.1", port)) as near:
        near.sendall(b"through\n")
        said = near.recv(100)
    transport.cancel_port_forward("127.0.0.1", port)
    return said == b"through\n", said.decode()


def serve(channel):
    channel.sendall(channel.recv(100))


def feature_many(client):
    answers = [None] * 20

    def ask(at):
        answers[at] = run(client, "echo %d" % at)[0].decode()

    threads = [threading.Thread(target=ask, args=(at,)) for at in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers == ["%d\n" % at for at in range(20)], answers


client = connect()
works, outcome = globals()["feature_" + order["feature"]](client)
client.close()
json.dump({"works": works, "outcome": outcome}, sys.stdout)
