# A non-OpenSSH client: pipelined uploads, prefetching downloads, listings, and errors as it reports them.
import os, stat, sys, time
import paramiko

host, port, user, password, key, remote, local = sys.argv[1:]
ssh = paramiko.SSHClient()
ssh.set_missing_host_key_policy(paramiko.AutoAddPolicy())
ssh.connect(host, int(port), user, password=password or None, key_filename=key or None,
            look_for_keys=False, allow_agent=False)
sftp = ssh.open_sftp()
print("normalize", sftp.normalize(remote) == os.path.realpath(remote))
sftp.chdir(remote)
sftp.mkdir("p", 0o750)
sftp.put(os.path.join(local, "large"), "p/large")
sftp.get("p/large", os.path.join(local, "back"))
with sftp.open("p/pipelined", "wb") as f:
    f.set_pipelined(True)
    for i in range(2000):
        f.write(bytes([i % 256]) * 1000)
with sftp.open("p/pipelined", "rb") as f:
    f.prefetch()
    data = f.read()
print("pipelined", len(data), data == b"".join(bytes([i % 256]) * 1000 for i in range(2000)))
with sftp.open("p/appended", "a") as f:
    f.write("one")
with sftp.open("p/appended", "a") as f:
    f.write("two")
with sftp.open("p/appended", "r+") as f:
    f.seek(1)
    f.write("NE")
    f.truncate(5)
with sftp.open("p/appended") as f:
    print("appended", f.read(), f.stat().st_size)
sftp.chmod("p/appended", 0o604)
sftp.utime("p/appended", (1234567890, 1234567890))
sftp.symlink("appended", "p/link")
print("readlink", sftp.readlink("p/link"), stat.S_ISLNK(sftp.lstat("p/link").st_mode))
sftp.rename("p/pipelined", "p/renamed")
sftp.posix_rename("p/renamed", "p/again")
for index in range(250):
    sftp.open("p/n%d" % index, "w").close()
print("listed", len(sftp.listdir("p")), sorted(sftp.listdir("p"))[:3])
print("attributes", sorted((a.filename, oct(a.st_mode), a.st_size) for a in sftp.listdir_attr("p") if a.filename[0] != "n"))
for index in range(250):
    sftp.remove("p/n%d" % index)
for name, call in [
    ("missing", lambda: sftp.stat("nothing")),
    ("exists", lambda: sftp.mkdir("p")),
    ("not empty", lambda: sftp.rmdir("p")),
    ("taken", lambda: sftp.rename("p/again", "p/appended")),
    ("exclusive", lambda: sftp.open("p/appended", "x")),
    ("folder", lambda: sftp.remove("p")),
    ("below a file", lambda: sftp.listdir("p/appended")),
]:
    try:
        call()
        print(name, "worked")
    except IOError as error:
        print(name, type(error).__name__, error)
ssh.close()
