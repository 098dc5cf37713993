# Everlore's server in a container. The image is built from the working copy with the versions and hashes of core.lock.
#
#   docker build -t everlore .
#   docker run -p 127.0.0.1:8000:8000 -v everlore:/data everlore
#
# Who reaches the port reaches the memories, so it is published on loopback alone. To let others in: EVEROS_AUTH__ENABLED=true,
# and `docker exec <container> everlore keys create --name NAME`.
FROM python:3.12-slim AS build
WORKDIR /src
COPY core.lock pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m venv /opt/everlore \
 && /opt/everlore/bin/pip install --no-cache-dir --no-compile --require-hashes -r core.lock \
 && /opt/everlore/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.12-slim
COPY --from=build /opt/everlore /opt/everlore
RUN useradd --create-home --uid 1000 everlore && mkdir /data && chown everlore /data
USER everlore
ENV PATH=/opt/everlore/bin:$PATH EVEROS_MEMORY__ROOT=/data EVEROS_EMBEDDING__CACHE_DIR=/tmp/everlore PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
CMD ["everlore", "server", "start", "--host", "0.0.0.0", "--insecure"]
