import { configDefaults, defineConfig } from "vitest/config"

/** Those that measure have the machine to themselves. */
const measuring = ["Answers", "Fairness", "Refusal"].map((name) => `test/faults/${name}.test.ts`)

const times = { hookTimeout: 120_000, testTimeout: 180_000 }

/** The built service as processes of its own, under faults and load. Most tests wait most of the time: two files at a time. */
export default defineConfig({
  test: {
    globalSetup: ["test/faults/Build.ts", "test/support/Run.ts"],
    maxWorkers: 2,
    minWorkers: 1,
    projects: [
      {
        test: {
          ...times,
          name: "side by side",
          include: ["test/faults/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...measuring],
          sequence: { groupOrder: 0 }
        }
      },
      {
        test: {
          ...times,
          name: "alone",
          include: measuring,
          poolOptions: { forks: { singleFork: true } },
          sequence: { groupOrder: 1 }
        }
      }
    ]
  }
})
