// Loaded into each process that the quickstart starts: shuts the process down when its parent has gone, even if the
// parent was killed. Detected by the IPC channel between them.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
// A process that has done its work exits by itself.
process.channel?.unref()
