# An image of the service (docs/install.md). The first stage makes a release and unpacks it, and the second contains the unpacked files.
FROM node:20-bookworm AS release
WORKDIR /gantt
COPY . .
RUN npm run release -- /release
RUN mkdir /unpacked && tar -xzf /release/gantt-*.tar.gz --strip-components=1 -C /unpacked

FROM node:20-bookworm-slim
COPY --from=release /unpacked /opt/gantt
RUN ln -s /opt/gantt/bin/gantt /usr/local/bin/gantt
# The embedded database would be lost with the container, so set DATABASE_URL to a database outside of it.
ENV HOST=0.0.0.0 PORT=4400
EXPOSE 4400
USER node
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["gantt", "serve"]
