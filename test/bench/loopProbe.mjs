/** Loaded into a measured process: answers its parent with how it spent the time since it was last asked. */
import { monitorEventLoopDelay } from "node:perf_hooks"

const delays = monitorEventLoopDelay({ resolution: 1 })
delays.enable()
let before = process.cpuUsage()

process.on("message", () => {
  const { system, user } = process.cpuUsage(before)
  // milliseconds: the longest time in which nothing else was done, and processor time of all threads
  process.send?.({
    blocked: delays.max / 1e6,
    cpu: (user + system) / 1000,
    rss: process.memoryUsage.rss() / 1024 / 1024
  })
  delays.reset()
  before = process.cpuUsage()
})
process.channel?.unref()
