# The service, without what it is built with. It needs DATABASE_URL and ENCRYPTION_KEYS, or a volume at /data for the embedded database.
FROM node:22-slim AS build
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY .build .build
COPY src src
COPY templates templates
RUN npm run build && npm prune --omit=dev

FROM node:22-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /service
COPY --from=build /service/package.json ./
COPY --from=build /service/node_modules node_modules
COPY --from=build /service/dist dist
RUN mkdir /data && chown node:node /data
USER node
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
