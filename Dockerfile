# The service with all that it needs but a database and, where NATS keeps the log, nats-servers. Not run where it was written.
FROM node:20-bookworm-slim
WORKDIR /gantt
COPY . .
RUN npm ci && npm run build
# what is embedded in a container would be lost with it: DATABASE_URL names a database outside
ENV HOST=0.0.0.0 PORT=4400
EXPOSE 4400
USER node
CMD ["node", "apps/cli/dist/main.js", "serve"]
