/** Loaded into a measured process: answers its parent with the processor time (ms) and memory (MB) it has used. */
process.on("message", () => {
  const { system, user } = process.cpuUsage()
  process.send?.({ cpu: (user + system) / 1000, rss: process.memoryUsage.rss() / 1024 / 1024 })
})
process.channel?.unref()
