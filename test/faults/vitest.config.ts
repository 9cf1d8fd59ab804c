import { defineConfig } from "vitest/config"

/** The built service as processes of its own, under faults and load. Long, and alone on the machine: one file at a time. */
export default defineConfig({
  test: {
    include: ["test/faults/**/*.test.ts"],
    globalSetup: ["test/faults/Build.ts", "test/support/Run.ts"],
    fileParallelism: false,
    hookTimeout: 120_000,
    testTimeout: 180_000
  }
})
