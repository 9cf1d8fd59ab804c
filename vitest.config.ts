import { defineConfig } from "vitest/config"

// The product's own setting names the PostgreSQL that the suites run on; what they start must not find it set.
if (process.env.DATABASE_URL !== undefined) {
  process.env.TEST_DATABASE_URL ??= process.env.DATABASE_URL
  delete process.env.DATABASE_URL
}

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
