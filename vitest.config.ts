import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    env: {
      // Every answer is walked with its Schema, which the product leaves out for speed.
      STRICT_RESPONSES: "1"
    },
    maxWorkers: 2,
    minWorkers: 1,
    // The first use of the embedded database compiles it.
    hookTimeout: 60_000,
    testTimeout: 20_000
  }
})
