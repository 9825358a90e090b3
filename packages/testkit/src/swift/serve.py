"""A small OpenStack Swift with the S3 API (swift.common.middleware.s3api): proxy, account, container and object server
in one process on free ports of loopback, one device, one replica. Ends with its standard input.

usage: serve.py FOLDER ACCOUNT:USER SECRET PORT"""

import json
import os
import sys

import eventlet
from swift.common import utils

utils.eventlet_monkey_patch()

from eventlet import listen, tpool, wsgi  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

folder, key_id, secret, port = sys.argv[1:5]
account, user = key_id.split(":")
os.makedirs(f"{folder}/devices/d1", exist_ok=True)


def write(name, text):
    with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
        file.write(text)


write("swift.conf", "[swift-hash]\nswift_hash_path_suffix = s\n[storage-policy:0]\nname = one\ndefault = yes\n")
# Names are hashed with a suffix that Swift reads from /etc unless told another file.
utils.SWIFT_CONF_FILE = f"{folder}/swift.conf"
utils.HASH_PATH_SUFFIX = b"s"

sockets = {"proxy": listen(("127.0.0.1", int(port)))}
for kind in ("account", "container", "object"):
    sockets[kind] = listen(("127.0.0.1", 0))
    ring = RingBuilder(4, 1, 0)
    where = {"region": 1, "zone": 1, "ip": "127.0.0.1", "port": sockets[kind].getsockname()[1], "device": "d1"}
    ring.add_dev({"id": 0, "weight": 1.0, "meta": "", **where})
    ring.rebalance()
    ring.get_ring().save(f"{folder}/{kind}.ring.gz")
    write(
        f"{kind}.conf",
        f"""[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{kind}
""",
    )

# The cache is only asked whether it is there: nobody listens on its port.
write(
    "proxy.conf",
    f"""[DEFAULT]
swift_dir = {folder}
[pipeline:main]
pipeline = catch_errors gatekeeper cache s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
[filter:tempauth]
use = egg:swift#tempauth
user_{account}_{user} = {secret} .admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
""",
)

for kind, socket in sockets.items():
    app = loadapp(f"{folder}/{kind}.conf", global_conf={"log_level": "ERROR"})
    eventlet.spawn(wsgi.server, socket, app, log_output=False, minimum_chunk_size=1)
print(json.dumps({"port": sockets["proxy"].getsockname()[1]}), flush=True)
tpool.execute(sys.stdin.read)
