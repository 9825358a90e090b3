// Loaded into each process that the quickstart starts: when the one that started it has gone, however roughly, it ends
// in order. The channel between them is what tells.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
// A process that has done its work ends without being told.
process.channel?.unref()
